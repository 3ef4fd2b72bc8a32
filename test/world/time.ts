/**
 * The clock of the simulated world. All that waits (a call of the table, a retry, a caller who comes next week) is a timer
 * in one list, and `until` fires one at a time: whoever is woken works until it waits again, and then comes the next.
 * Nobody waits in real time, and the load of the machine changes no result.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import zlib from "node:zlib";
import { onTestFinished } from "vitest";
import { type Random, randomFrom } from "./random.ts";

/** From one true time to another. */
export type Span = { from: number; to: number };

/** A Lambda environment or a command. Its clock is wrong by `skew`; once stopped, none of its calls gets anywhere. */
export type Process = {
  name: string;
  skew: number;
  random: Random;
  isStopped: boolean;
  /** After so many further calls, it is stopped; by default, only a fault stops it. */
  callsLeft?: number;
  /** How long its next request or response is under way, in milliseconds; by default, chance decides. */
  latency?: () => number;
  /** How old what it reads is, in milliseconds, unless the read is consistent; by default, chance decides. */
  lag?: number;
};

const running = new AsyncLocalStorage<Process>();
export const currentProcess = (): Process | undefined => running.getStore();
export const inProcess = <T>(process: Process, act: () => T): T => running.run(process, act);

type Timer = { at: number; run: () => void };

/** When time begins. */
export const start = Date.UTC(2096, 10, 1);
let now = start;
let waiting: Timer[] = [];
/** The random numbers of whoever is no process. */
let others = randomFrom("others");
/** Chunks that other threads compress at the moment. */
let compressing = 0;

/** The true time, which no process knows. */
export const trueTime = (): number => now;

const schedule = (run: () => void, ms = 0): Timer => {
  const timer = { at: Math.ceil(now + Math.max(0, ms)), run };
  const next = waiting.findIndex(({ at }) => at > timer.at);
  waiting.splice(next < 0 ? waiting.length : next, 0, timer);
  return Object.assign(timer, { unref: () => timer, ref: () => timer });
};

const cancel = (timer?: Timer): void => {
  waiting = waiting.filter((other) => other !== timer);
};

type SleepOptions = { signal?: AbortSignal | undefined };

export const sleep = (ms?: number, value?: unknown, { signal }: SleepOptions = {}): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException("The sleep was aborted", "AbortError"));
    if (signal?.aborted) return stop();
    const abort = () => {
      cancel(timer);
      stop();
    };
    const timer = schedule(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });

const abortAfter = (ms: number): AbortSignal => {
  const controller = new AbortController();
  schedule(() => controller.abort(new DOMException("The time is up", "TimeoutError")), ms);
  return controller.signal;
};

/** All of zlib's streams inherit this method. */
const transformer = (): { _transform: (...args: unknown[]) => void } => {
  for (let found: object = zlib.ZstdCompress.prototype; found; found = Object.getPrototypeOf(found)) {
    if (Object.hasOwn(found, "_transform")) return found as ReturnType<typeof transformer>;
  }
  throw new Error("node:zlib has changed");
};
const transform = transformer()._transform;
const immediate = setImmediate;

const random = (): Random => currentProcess()?.random ?? others;

const replacements: [object: object, fields: Record<string, unknown>][] = [
  [
    globalThis,
    {
      setTimeout: (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
        schedule(() => run(...args), ms),
      clearTimeout: cancel,
    },
  ],
  [timers, { setTimeout: sleep }],
  [Date, { now: () => now + (currentProcess()?.skew ?? 0) }],
  [performance, { now: () => now - start }],
  [process, { uptime: () => (now - start) / 1000 }],
  [Math, { random: () => random().next() }],
  [AbortSignal, { timeout: abortAfter }],
  [crypto, { randomUUID: () => random().uuid(), randomBytes: (count: number) => random().bytes(count) }],
  [
    transformer(),
    {
      _transform(chunk: unknown, encoding: unknown, done: () => void) {
        compressing++;
        const isDone = (...results: unknown[]) => {
          compressing--;
          Reflect.apply(done, undefined, results);
        };
        Reflect.apply(transform, this, [chunk, encoding, isDone]);
      },
    },
  ],
];

const restartTime = (): void => {
  now = start;
  waiting = [];
  others = randomFrom("others");
};

/** Replaces the clocks, timers and random numbers of this process until the test ends. */
export const replaceTime = (): void => {
  restartTime();
  const originals = replacements.map(([object, fields]) => {
    const names = Object.keys(fields) as never[];
    return { object, fields: Object.fromEntries(names.map((name) => [name, object[name]])) };
  });
  for (const [object, fields] of replacements) Object.assign(object, fields);
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const { object, fields } of originals) Object.assign(object, fields);
    syncBuiltinESMExports();
  });
};

/** Until everybody waits at a timer. A response that is streamed takes a few turns of the event loop. */
const settle = async (): Promise<void> => {
  do {
    for (let turns = 0; turns < 3; turns++) await new Promise(immediate);
  } while (compressing > 0);
};

/** Lets time pass until `work` is done. @throws Error if nobody has anything left to wait for */
export const until = async <T>(work: Promise<T>): Promise<T> => {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  for (await settle(); !isDone; await settle()) {
    const timer = waiting.shift();
    if (!timer) throw new Error("Somebody waits for something that never comes");
    now = Math.max(now, timer.at);
    timer.run();
  }
  return work;
};

/** Begins a new time, which lasts until `work` is done. */
export const run = <T>(work: () => Promise<T>): Promise<T> => {
  restartTime();
  return until(work());
};
