/** Runs the programs of this project in their own processes. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cleanUp } from "./clean-up.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the environment of a new user's shell, plus the compile cache that saves time. */
const shell = (variables: NodeJS.ProcessEnv) => {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...variables };
};

export type Ended = { status: number | null; stdout: string; stderr: string };

/** Runs a shell command to its end. */
export const run = (
  command: string,
  { variables = {}, input = "" }: { variables?: NodeJS.ProcessEnv; input?: string | Buffer } = {},
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
    child.stdin.on("error", () => {}); // A command may exit before it reads its input.
    child.stdin.end(input);
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });

export type Service = {
  url: string;
  /** The output until the service was ready. */
  output: string;
  /** Returns the output so far. */
  said: () => string;
  child: ChildProcess;
  ended: Promise<number | null>;
};

/** Starts the service and waits until it is ready. @throws Error with its output if it exits before that */
export const startLocal = (
  variables: NodeJS.ProcessEnv = {},
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
    void ended.then((status) => reject(new Error(`ended with ${status}: ${output}`)));
    cleanUp(async () => {
      child.kill();
      await ended;
    });
  });

/** Returns the process id and the private port of a service's engine. */
export const engineOf = async ({ pid }: ChildProcess): Promise<{ pid: number; port: number }> => {
  const { stdout } = await run("ps -A -o ppid= -o pid= -o args=");
  const pattern = new RegExp(`^ *${pid} +(\\d+) .*dynoxide serve --port (\\d+)`, "m");
  const [, engine, port] = pattern.exec(stdout) ?? [];
  if (engine === undefined) throw new Error(`${pid} runs no engine`);
  return { pid: Number(engine), port: Number(port) };
};
