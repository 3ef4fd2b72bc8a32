/**
 * MiniStack, an AWS emulator from PyPI, and the `aws` command. The first run installs both into a virtual environment in the
 * cache folder.
 */
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { freePort } from "../../infra/local/engine.ts";
import { projectRoot } from "../../infra/stack/bundling.ts";
import { sha256 } from "../../lib/table/keys.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const run = promisify(execFile);

const requirements = join(import.meta.dirname, "requirements.txt");
const pinned = readFileSync(requirements, "utf8");

/** After a change, `npm run test:stack` names each adaptation that the new version no longer needs. */
export const version = /^ministack==(.*)$/m.exec(pinned)?.[1];

const region = "eu-west-1";

/** Any will do. */
export const credentials = { AWS_REGION: region, AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };

const folder = join(projectRoot, `node_modules/.cache/ministack-${sha256(pinned).slice(0, 8)}`);
const program = join(folder, "bin/ministack");

/** The folder of the `aws` command, for the PATH. It is version 1, which needs AWS_DEFAULT_REGION. */
export const awsFolder = join(folder, "bin");

const install = async (): Promise<void> => {
  console.log(`Installing MiniStack ${version} from PyPI once …`);
  try {
    await run("python3", ["-m", "venv", folder]);
    await run(join(folder, "bin/pip"), ["install", "--quiet", "-r", requirements]);
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    throw new Error("MiniStack requires Python 3.10 or later with venv, and PyPI", { cause });
  }
};

/**
 * Starts the emulator on a free port of 127.0.0.1 until the end of the test file, and returns its URL.
 *
 * It runs functions with `node` from the PATH. CDK's function that empties a bucket expects the AWS SDK of Lambda's runtime,
 * so `NODE_PATH` leads it to ours.
 */
export const startEmulator = async (): Promise<string> => {
  if (!existsSync(program)) await install();
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const child = spawn(program, {
    stdio: "ignore",
    env: {
      PATH,
      HOME,
      TMPDIR: temporaryFolder(),
      NODE_PATH: join(projectRoot, "node_modules"),
      BIND_HOST: "127.0.0.1",
      MINISTACK_HOST: "127.0.0.1",
      MINISTACK_REGION: region,
      GATEWAY_PORT: String(port),
    },
  });
  afterAll(() => void child.kill("SIGKILL")); // On SIGTERM, it would wait for its functions.
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/_ministack/health`).catch(() => null))) {
    if (child.exitCode !== null) throw new Error(`MiniStack exited with ${child.exitCode}`);
    await sleep(100);
  }
  return url;
};
