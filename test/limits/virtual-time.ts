/**
 * Virtual time: timers fire in the order of their times, and nobody waits for them. A minute of retries takes as long
 * as its calls need of the processor, and the load of the machine changes no result.
 */
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { onTestFinished, vi } from "vitest";

type Timer = { at: number; run: () => void };

/** A fixed sequence of pseudo-random numbers (mulberry32), so that every run has the same jitter. */
const numbersFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

const realImmediate = setImmediate;

/** The SDK parses a response in one turn of the event loop; a stream that waits for `drain` needs another. */
const settle = async () => {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => realImmediate(resolve));
};

export type VirtualTime = {
  now: () => number;
  /** Lets time pass until `work` is done. */
  until: <T>(work: Promise<T>) => Promise<T>;
};

/** Replaces the clocks and timers of this process until the test ends. */
export const virtualTime = (): VirtualTime => {
  const start = Date.UTC(2026, 10, 23);
  let now = start;
  let waiting: Timer[] = [];
  const schedule = (run: () => void, ms = 0): Timer => {
    const timer = { at: Math.ceil(now + Math.max(1, ms)), run };
    const next = waiting.findIndex(({ at }) => at > timer.at);
    waiting.splice(next < 0 ? waiting.length : next, 0, timer);
    return Object.assign(timer, { unref: () => timer, ref: () => timer });
  };
  const cancel = (timer?: Timer) => {
    waiting = waiting.filter((other) => other !== timer);
  };
  const setTimer = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
    schedule(() => run(...args), ms);
  const abortAfter = (ms: number): AbortSignal => {
    const controller = new AbortController();
    schedule(() => controller.abort(new DOMException("The time is up", "TimeoutError")), ms);
    return controller.signal;
  };
  const sleep = (ms?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const stop = () => reject(new DOMException("The sleep was aborted", "AbortError"));
      if (signal?.aborted) return stop();
      const timer = schedule(() => {
        signal?.removeEventListener("abort", abort);
        resolve(value);
      }, ms);
      const abort = () => {
        cancel(timer);
        stop();
      };
      signal?.addEventListener("abort", abort, { once: true });
    });

  vi.spyOn(Math, "random").mockImplementation(numbersFrom(1));
  vi.spyOn(Date, "now").mockImplementation(() => now);
  vi.spyOn(performance, "now").mockImplementation(() => now - start);
  vi.spyOn(process, "uptime").mockImplementation(() => (now - start) / 1000);
  vi.spyOn(AbortSignal, "timeout").mockImplementation(abortAfter);
  vi.stubGlobal("setTimeout", setTimer);
  vi.stubGlobal("clearTimeout", cancel);
  const realSleep = timers.setTimeout;
  Object.assign(timers, { setTimeout: sleep });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    Object.assign(timers, { setTimeout: realSleep });
    syncBuiltinESMExports();
  });

  return {
    now: () => now,
    until: async (work) => {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      for (await settle(); !isDone; await settle()) {
        now = waiting[0]?.at ?? now; // Without a timer, another thread is still at work, for example zstd.
        while (waiting[0] && waiting[0].at <= now) waiting.shift()?.run();
      }
      return work;
    },
  };
};
