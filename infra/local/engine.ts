/** The embedded DynamoDB: dynoxide, a native program from npm, as a child process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { delimiter, join } from "node:path";
import { UserError } from "../cli/user-error.ts";

/** Finds the program of the embedded DynamoDB in node_modules or on the PATH, or throws a UserError. */
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
    `No embedded DynamoDB is installed for this platform. Run "npm install --no-save ${packageName}", put dynoxide ` +
      "on the PATH, or set AWS_ENDPOINT_URL_DYNAMODB to another engine, such as DynamoDB Local",
  );
};

export const freePort = async (): Promise<number> => {
  await using probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  return (probe.address() as AddressInfo).port;
};

/**
 * This shell script stops DynamoDB when `npm start` ends, even after `kill -9`. File descriptor 3 is a pipe that the
 * operating system closes when `npm start` ends. `exec` lets DynamoDB take over the shell's process id, so `kill $$`
 * stops DynamoDB.
 */
const withLifeline = '(cat <&3; kill $$) >/dev/null 2>&1 & exec "$0" "$@" 3<&-';

const spawnEngine = (program: string, args: string[]): ChildProcess =>
  process.platform === "win32" // Windows ends child processes with their parent.
    ? spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] })
    : spawn("sh", ["-c", withLifeline, program, ...args], {
        stdio: ["ignore", "ignore", "pipe", "pipe"],
        detached: true, // Ctrl-C ends a process group. If DynamoDB ended first, that would look like a failure.
      });

export type Engine = {
  port: number;
  /** Resolves when DynamoDB exits, with the end of its output. */
  ended: Promise<string>;
  stop: () => Promise<void>;
};

/**
 * Waits until the embedded DynamoDB accepts connections. If DynamoDB exits before it accepts connections, returns the
 * end of its output.
 */
const startOn = (program: string, port: number, file: string | undefined): Promise<Engine | string> =>
  new Promise((resolve) => {
    const data = file === undefined ? [] : ["--db-path", file];
    const child = spawnEngine(program, ["serve", "--port", String(port), ...data]);
    let output = "";
    child.once("exit", () => child.stdio[3]?.destroy());
    const ended = once(child, "close").then(() => output.trim());
    const stop = async (): Promise<void> => {
      child.kill();
      await ended;
    };
    child.stderr?.on("data", (chunk) => {
      output = `${output}${chunk}`.slice(-1000);
      if (output.includes("listening on")) resolve({ port, ended, stop });
    });
    ended.then(resolve);
  });

type EngineOptions = {
  /** The ports to try, in this order. By default, we use any free port. */
  ports?: readonly number[];
  /** The file for the data. Without a data file, DynamoDB keeps all items in memory. */
  file?: string | undefined;
};

/** @throws UserError if no port is free, or if the embedded DynamoDB is not installed or does not start */
export const startEngine = async ({ ports, file }: EngineOptions = {}): Promise<Engine> => {
  const program = findEngine();
  for (const port of ports ?? [await freePort()]) {
    const engine = await startOn(program, port, file);
    if (typeof engine !== "string") return engine;
    if (!engine.includes("already in use")) throw new UserError(`The embedded DynamoDB did not start: ${engine}`);
  }
  throw new UserError("The embedded DynamoDB did not start: all of its ports are in use");
};
