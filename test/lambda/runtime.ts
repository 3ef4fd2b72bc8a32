/** A function in its own process under AWS's runtime client, as on Lambda. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpResponse } from "../../infra/local/lambda.ts";
import { bundleHandler } from "../../infra/stack/bundling.ts";
import { startRuntimeApi } from "./runtime-api.ts";

type FunctionOptions = {
  /** The folder of the function's files. */
  folder: string;
  /** The function's own variables, as the stack sets them, and the table's endpoint. */
  environment?: Record<string, string>;
  /** A file of the folder and its export. By default, the deployed functions' own. */
  handler?: string;
  timeoutMilliseconds?: number;
};

export type RunningFunction = {
  /**
   * Invokes the function. A second invocation waits for the first.
   *
   * @throws FunctionError if the function fails before its first byte, Error if its process ends
   */
  invoke: (event: unknown) => Promise<HttpResponse>;
  /** From the start of the process until it asked for its first event. */
  initMilliseconds: number;
  pid: number;
  peakMebibytes: () => number;
  /** The processor time of the process, with its start. */
  cpuMilliseconds: () => number;
  /** The output of the process, which Lambda sends to CloudWatch. */
  log: () => string;
  /** Resolves with the process's exit status. */
  ended: Promise<number | null>;
  stop: () => Promise<void>;
};

/** The memory of both operations' functions in the stack. */
const memoryMegabytes = 1024;

/**
 * Lambda's flags for Node.js, from its image for Node.js 18 (/var/runtime/bootstrap). The first flag makes cold starts
 * slower, because Node.js then compiles its own modules instead of reading them from its snapshot.
 */
export const lambdaFlags = [
  "--expose-gc",
  "--max-http-header-size=81920",
  `--max-semi-space-size=${Math.floor(memoryMegabytes / 20)}`,
  `--max-old-space-size=${memoryMegabytes - Math.floor(memoryMegabytes / 10)}`,
];

/** The variables of Lambda's environment. It has no `HOME`, and no variable of this process. */
const lambdaEnvironment = (address: string, options: FunctionOptions): Record<string, string> => ({
  PATH: "/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin",
  LANG: "en_US.UTF-8",
  TZ: ":UTC",
  AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
  AWS_LAMBDA_RUNTIME_API: address,
  AWS_LAMBDA_FUNCTION_NAME: "local",
  AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
  AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
  AWS_LAMBDA_LOG_GROUP_NAME: "/aws/lambda/local",
  AWS_LAMBDA_LOG_STREAM_NAME: "local",
  LAMBDA_TASK_ROOT: options.folder,
  _HANDLER: options.handler ?? bundleHandler,
  ...options.environment,
});

const peakMebibytes = ({ pid }: ChildProcess): number => {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) / 1024;
};

/** Adds up the threads' nanoseconds in `/proc/[pid]/task/[tid]/schedstat`. A thread that has ended has no file. */
const cpuMilliseconds = ({ pid }: ChildProcess): number => {
  const threads = `/proc/${pid}/task`;
  const nanosecondsOf = (thread: string): number => {
    try {
      return Number.parseInt(readFileSync(join(threads, thread, "schedstat"), "utf8"), 10);
    } catch {
      return 0;
    }
  };
  return readdirSync(threads).reduce((sum, thread) => sum + nanosecondsOf(thread), 0) / 1e6;
};

/**
 * Starts a function, and waits until it asks for its first event.
 *
 * @param client the file that `runtimeClient` returns
 * @throws Error if the bundle cannot be loaded
 */
export const startFunction = async (client: string, options: FunctionOptions): Promise<RunningFunction> => {
  const { folder, timeoutMilliseconds = 30_000 } = options;
  const api = await startRuntimeApi("arn:aws:lambda:local:000000000000:function:local");
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...lambdaFlags, client], {
    cwd: folder,
    env: lambdaEnvironment(api.address, options),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const output of [child.stdout, child.stderr]) {
    output.on("data", (chunk) => {
      log += chunk;
    });
  }
  const ended = once(child, "close").then(([status]: (number | null)[]) => status ?? null);
  ended.then((status) => api.fail(new Error(`The function's process ended with ${status}: ${log}`)));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    api.stop();
  };

  try {
    await api.initialised;
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    initMilliseconds: performance.now() - startedAt,
    invoke: async (event) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMilliseconds);
      try {
        const response = await api.invoke(event, Date.now() + timeoutMilliseconds);
        if (typeof response.body === "string") clearTimeout(timer);
        else response.body.once("close", () => clearTimeout(timer));
        return response;
      } catch (error) {
        clearTimeout(timer);
        throw error;
      }
    },
    pid: child.pid ?? 0,
    peakMebibytes: () => peakMebibytes(child),
    cpuMilliseconds: () => cpuMilliseconds(child),
    log: () => log,
    ended,
    stop,
  };
};
