/** The programs of this project, run as a user runs them. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The environment of a new user's shell: nothing that this test run has set up for itself, but what saves time. */
const shell = (variables: Record<string, string>) => {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...variables };
};

export type Ended = { status: number | null; stdout: string; stderr: string };

/** Runs a shell command to its end. */
export const run = (
  command: string,
  {
    variables = {},
    input = "" as string | Buffer,
  }: { variables?: Record<string, string>; input?: string | Buffer } = {},
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], { cwd: root, env: shell(variables) });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdin.on("error", () => {}); // a command that ends before it has read its input
    child.stdin.end(input);
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });

export type Service = {
  url: string;
  /** What it had printed when it was ready. */
  output: string;
  /** All that it has printed by now. */
  said: () => string;
  child: ChildProcess;
  ended: Promise<number | null>;
};

/** Starts the service and waits until it says that it is ready. @throws what it printed, when it ends before */
export const startLocal = (
  variables: Record<string, string> = {},
  command: string[] = ["node", "infra/local/main.ts"],
): Promise<Service> =>
  new Promise((resolve, reject) => {
    const [program = "", ...args] = command;
    const env = shell({ PORT: "0", DYNAMODB_PORT: "0", ...variables });
    const child = spawn(program, args, { cwd: root, env, detached: true });
    let output = "";
    const ended = new Promise<number | null>((end) => child.once("close", end));
    const read = (chunk: Buffer) => {
      output += chunk;
      const [, url] = /^Ready on (\S+?);/m.exec(output) ?? [];
      if (url) resolve({ url, output, said: () => output, child, ended });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    ended.then((status) => reject(new Error(`ended with ${status}: ${output}`)));
    onTestFinished(async () => {
      child.kill();
      await ended;
    });
  });

/** The engine that a service has started: its process, and the port that it keeps for itself. */
export const engineOf = async ({ pid }: ChildProcess): Promise<{ pid: number; port: number }> => {
  const { stdout } = await run("ps -A -o ppid= -o pid= -o args=");
  const pattern = new RegExp(`^ *${pid} +(\\d+) .*dynoxide serve --port (\\d+)`, "m");
  const [, engine, port] = pattern.exec(stdout) ?? [];
  if (engine === undefined) throw new Error(`${pid} runs no engine`);
  return { pid: Number(engine), port: Number(port) };
};
