/** The embedded DynamoDB: dynoxide, a native engine that comes from npm, as a child of this process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { UserError } from "../user-error.ts";

/**
 * Returns the engine's program: from npm's package for the platform, else from the PATH.
 *
 * @throws UserError that names the package where there is neither
 */
export const findEngine = (
  platform: string = process.platform,
  arch: string = process.arch,
  path: string = process.env.PATH ?? "",
): string => {
  const packageName = `@dynoxide/${platform}-${arch}`;
  const file = platform === "win32" ? "dynoxide.exe" : "dynoxide";
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/${file}`);
  } catch {
    const found = path
      .split(delimiter)
      .map((folder) => join(folder, file))
      .find(existsSync);
    if (found) return found;
  }
  throw new UserError(
    `No embedded DynamoDB is installed for this platform: run "npm install --no-save ${packageName}", put dynoxide ` +
      "on the PATH, or set AWS_ENDPOINT_URL_DYNAMODB to an engine that runs, such as DynamoDB Local",
  );
};

/** Returns a port that is free now. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port");
  return address.port;
};

/**
 * Ends the engine when this process ends, even by `kill -9`: file descriptor 3 is a pipe that closes with us.
 * `exec` makes the engine the shell's own process, so that it is our child, and `$$` its id.
 */
const withLifeline = '(cat <&3; kill $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-';

const spawnEngine = (program: string, args: string[]): ChildProcess =>
  process.platform === "win32" // there, Node's children are in a job object that ends with it
    ? spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] })
    : spawn("sh", ["-c", withLifeline, program, ...args], {
        stdio: ["ignore", "ignore", "pipe", "pipe"],
        detached: true, // a terminal's Ctrl-C is for us, who end the engine when the last request is answered
      });

export type Engine = {
  port: number;
  /** Resolves when the engine has ended, to what it said last. */
  ended: Promise<string>;
  stop: () => Promise<void>;
};

/** Returns the engine when it listens, or why it does not. */
const startOn = (program: string, port: number, file: string | undefined): Promise<Engine | string> =>
  new Promise((resolve) => {
    const data = file === undefined ? [] : ["--db-path", file];
    const child = spawnEngine(program, ["serve", "--port", String(port), ...data]);
    let said = "";
    child.once("exit", () => child.stdio[3]?.destroy());
    const ended = once(child, "close").then(() => said.trim());
    const stop = async (): Promise<void> => {
      child.kill();
      await ended;
    };
    child.stderr?.on("data", (chunk) => {
      said = `${said}${chunk}`.slice(-1000);
      if (said.includes("listening on")) resolve({ port, ended, stop });
    });
    ended.then(resolve);
  });

/**
 * Starts the engine, on the first of the ports that is free.
 *
 * @param options.ports any free port, unless they are named
 * @param options.file keeps the data in this file; without it, in memory
 * @throws UserError when no port is free, the platform has no engine, or the engine does not start
 */
export const startEngine = async ({
  ports,
  file,
}: {
  ports?: readonly number[];
  file?: string | undefined;
} = {}): Promise<Engine> => {
  const program = findEngine();
  for (const port of ports ?? [await freePort()]) {
    const engine = await startOn(program, port, file);
    if (typeof engine !== "string") return engine;
    if (!engine.includes("already in use"))
      throw new UserError(`The embedded DynamoDB did not start: ${engine}`);
  }
  throw new UserError("The embedded DynamoDB did not start: all ports that it may have are taken");
};
