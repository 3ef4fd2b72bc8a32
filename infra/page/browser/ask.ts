/** Sends requests to the worker, which keeps the content of the message. */
import type { Actions, Asked } from "./worker.ts";

/** The source of the bundled worker, which esbuild fills in. */
declare const WORKER_SOURCE: string;

let worker: Worker | undefined;

/** Returns the new worker. @returns a value that is different for each start */
export const startWorker = (): Worker => {
  worker?.terminate(); // cancels the load of the previous message, and frees its memory
  worker = new Worker(URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" })));
  return worker;
};

export const isCurrent = (started: Worker): boolean => started === worker;

type Answer<Action extends keyof Actions> = Awaited<ReturnType<Actions[Action]>>;

/** @throws Error with a sentence for the reader */
export const ask = <Action extends keyof Actions>(
  action: Action,
  ...[input]: Parameters<Actions[Action]>
): Promise<Answer<Action>> =>
  new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<Answer<Action> | { error: string }>) => {
      if (data !== null && typeof data === "object" && "error" in data) reject(new Error(data.error));
      else resolve(data as Answer<Action>);
    };
    const asked: Asked = { action, port: port2, ...input };
    worker?.postMessage(asked, [port2]);
  });
