/**
 * AWS's own runtime client for Node.js, which every function of Lambda runs under (`aws-lambda-ric` on npm).
 * A part of it is native code that is built where it is installed: once, into the user's cache folder.
 */
import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { UserError } from "../../infra/user-error.ts";

const version = "4.0.2";

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "email-api");
const installed = join(cache, `aws-lambda-ric-${version}-${process.platform}-${process.arch}`);
const client = join("node_modules", "aws-lambda-ric");

/** What the build calls; of names side by side, one is enough. */
const tools = [["cmake", "cmake3"], ["make"], ["g++"], ["python3"], ["tar"], ["xz"]];

const isOnPath = (name: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const checkTools = (): void => {
  if (process.platform !== "linux") throw new UserError("AWS's runtime client builds on Linux only");
  const missing = tools.filter((names) => !names.some(isOnPath)).map(([name]) => name);
  if (missing.length === 0) return;
  throw new UserError(
    `AWS's runtime client is built once, with tools of which this machine lacks: ${missing.join(", ")}. On Debian, ` +
      'run "apt-get update && apt-get install -y cmake make g++ python3 tar xz-utils", then this command again',
  );
};

/** The folder above Node's own headers, where they came with it; node-gyp downloads them otherwise. */
const findHeaders = (): string | undefined => {
  const package_ = createRequire(import.meta.url).resolve("node/package.json");
  const folders = [
    join(dirname(package_), "node_modules", `node-${process.platform}-${process.arch}`),
    join(dirname(process.execPath), ".."),
  ];
  return folders.find((folder) => existsSync(join(folder, "include", "node", "node_api.h")));
};

const build = (folder: string): void => {
  const manifest = {
    private: true,
    dependencies: { "aws-lambda-ric": version },
    allowScripts: { "aws-lambda-ric": true },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const headers = findHeaders();
  const { status, stdout, stderr } = spawnSync(
    "npm",
    ["install", "--no-audit", "--no-fund", "--foreground-scripts"],
    {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...(headers && { npm_config_nodedir: headers }) },
    },
  );
  if (status === 0 && existsSync(join(folder, client, "rapid-client.node"))) return;
  throw new UserError(`AWS's runtime client could not be built:\n${`${stdout}${stderr}`.slice(-4000)}`);
};

/**
 * The file to start Node.js with. The first time, it installs the client: a minute or two.
 *
 * @throws UserError that says what the build needs, or what it printed
 */
export const runtimeClient = (say: (line: string) => void = console.error): string => {
  if (!existsSync(installed)) {
    checkTools();
    say(`Building AWS's runtime client, once, in ${installed}: a minute or two`);
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "building-"));
    try {
      build(folder);
      renameSync(folder, installed);
    } catch (error) {
      rmSync(folder, { recursive: true });
      if (!existsSync(installed)) throw error; // another run was faster
    }
  }
  return join(installed, client, "index.mjs");
};
