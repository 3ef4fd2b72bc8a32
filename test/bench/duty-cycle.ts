/** Gives a process a share of a processor, by stopping it with SIGSTOP and continuing it with SIGCONT. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** The share of a function with 1,024 MB: a function with 1,769 MB has one whole processor. */
const share = 1024 / 1769;

/** A few milliseconds, so that a request of 10 ms meets its share of stops. */
const runMilliseconds = 4;

/**
 * Runs in a thread, because the bench's own event loop also serves the function's calls. `Atomics.wait` sleeps for
 * fractions of a millisecond. A process that ran too long is stopped for longer, so that its share holds on average.
 */
const loop = `
  const { pid, ended, share, runMilliseconds } = require("node:worker_threads").workerData;
  const sleep = (milliseconds) => Atomics.wait(ended, 0, 0, milliseconds);
  while (Atomics.load(ended, 0) === 0) {
    const began = performance.now();
    sleep(runMilliseconds);
    process.kill(pid, "SIGSTOP");
    sleep((performance.now() - began) * (1 / share - 1));
    process.kill(pid, "SIGCONT");
  }
`;

/** @returns `stop`, which gives the process a whole processor again */
export const startDutyCycle = async (pid: number): Promise<{ stop: () => Promise<unknown> }> => {
  const ended = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(loop, { eval: true, workerData: { pid, ended, share, runMilliseconds } });
  const exit = once(worker, "exit");
  await once(worker, "online");
  return {
    stop: () => {
      Atomics.store(ended, 0, 1);
      Atomics.notify(ended, 0);
      return exit;
    },
  };
};
