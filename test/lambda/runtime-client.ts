/**
 * AWS's own runtime client for Node.js (`aws-lambda-ric` on npm), under which Lambda runs every function. A part of the
 * client is native code. It is built once, into the user's cache folder.
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { UserError } from "../../infra/cli/user-error.ts";

const manifest = join(import.meta.dirname, "aws-lambda-ric/package.json");
const version: string = JSON.parse(readFileSync(manifest, "utf8")).dependencies["aws-lambda-ric"];

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "email-api");
const installed = join(cache, `aws-lambda-ric-${version}-${process.platform}-${process.arch}`);
const client = join("node_modules", "aws-lambda-ric");

/** Returns the folder of Node's headers if Node.js was installed with them. Otherwise node-gyp downloads the headers. */
const findHeaders = (): string | undefined => {
  const folder = dirname(dirname(realpathSync(process.execPath)));
  return existsSync(join(folder, "include", "node", "node_api.h")) ? folder : undefined;
};

const build = (folder: string): void => {
  copyFileSync(manifest, join(folder, "package.json"));
  const headers = findHeaders();
  const options = ["--no-audit", "--no-fund", "--foreground-scripts", "--ignore-scripts=false"]; // our .npmrc ignores them
  const { status, stdout, stderr } = spawnSync("npm", ["install", ...options], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...(headers && { npm_config_nodedir: headers }) },
  });
  if (status === 0 && existsSync(join(folder, client, "rapid-client.node"))) return;
  throw new UserError(
    "AWS's runtime client was not built. Its build needs Linux and, on Debian, \"apt-get install -y cmake make g++ " +
      `python3 tar xz-utils". The build's output:\n${`${stdout}${stderr}`.slice(-4000)}`,
  );
};

/**
 * Returns the file to start Node.js with. The first call installs the client, which takes a minute or two.
 *
 * @throws UserError with the output of the build if the build fails
 */
export const runtimeClient = (say: (line: string) => void = console.error): string => {
  if (!existsSync(installed)) {
    say(`Building AWS's runtime client in ${installed}. This takes a minute or two, and happens once`);
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "building-"));
    try {
      build(folder);
      renameSync(folder, installed);
    } catch (error) {
      rmSync(folder, { recursive: true });
      if (!existsSync(installed)) throw error; // otherwise another run was faster
    }
  }
  return join(installed, client, "index.mjs");
};

declare module "vitest" {
  export interface ProvidedContext {
    runtimeClient: string;
  }
}

/** Builds the client before the tests of the project `lambda`. */
export const setup = (project: TestProject): void => project.provide("runtimeClient", runtimeClient());
