/** A function in its own process. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { lambdaFlags } from "../lambda/runtime.ts";
import type { Order, Report } from "./function-process.ts";

export type LoadedFunction = {
  /** @throws Error if a response is not a success, or the process ends */
  run: (order: Order) => Promise<Report>;
  stop: () => Promise<void>;
};

const nextMessage = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`The function's process ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message);
    });
  });

/** Starts a process that has loaded the bundle. The process writes its log, and nobody reads it. */
export const startFunction = async (bundle: string, environment: NodeJS.ProcessEnv = {}): Promise<LoadedFunction> => {
  const child = fork(new URL("function-process.ts", import.meta.url), [bundle], {
    execArgv: lambdaFlags,
    env: { ...process.env, POWERTOOLS_METRICS_NAMESPACE: "Bench", ...environment },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await nextMessage(child);
  return {
    run: async (order) => {
      child.send(order);
      const report = (await nextMessage(child)) as Report;
      const failed = report.invocations.find(({ status }) => status >= 300);
      if (failed) throw new Error(`${bundle} responded ${failed.status}`);
      return report;
    },
    stop: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
};
