/** moto's server, from PyPI, in a virtual environment of its own that the first run makes. */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { projectRoot } from "../../infra/bundling.ts";
import { freePort } from "../../infra/local/engine.ts";

declare module "vitest" {
  export interface ProvidedContext {
    motoUrl: string;
  }
}

const run = promisify(execFile);
const version = "5.2.5";
const folder = join(projectRoot, `node_modules/.cache/moto-${version}`);
const server = join(folder, "bin/moto_server");

const install = async (): Promise<void> => {
  console.log(`Installing moto ${version} from PyPI, once …`);
  try {
    await run("python3", ["-m", "venv", folder]);
    await run(join(folder, "bin/pip"), ["install", "--quiet", `moto[server]==${version}`]);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error("moto's server needs python3 of version 3.10 or later, with venv, and PyPI", {
      cause: error,
    });
  }
};

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

export default async (project: TestProject) => {
  if (!existsSync(server)) await install();
  const port = await freePort();
  const child = spawn(server, ["-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  const ended = new Promise<void>((end) => child.once("exit", () => end()));
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`moto's server ended with ${child.exitCode}`);
    await sleep(100);
  }
  project.provide("motoUrl", url);
  return async () => {
    child.kill();
    await ended;
  };
};
