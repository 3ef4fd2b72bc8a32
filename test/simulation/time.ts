/**
 * The scheduler. All that waits (a call at the gate, a retry, a caller who comes next week) is a timer in one list, and
 * `run` fires one at a time: whoever is woken works until it waits again, and then comes the next. The seed chooses how
 * long each of them waits, and so their order. Nobody waits in real time.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import zlib from "node:zlib";
import type { Random } from "./random.ts";

/** A Lambda environment or a command. Its clock is wrong by `skew`; once stopped, none of its calls gets anywhere. */
export type Process = { name: string; skew: number; random: Random; isStopped: boolean };

type Timer = { at: number; run: () => void };

const running = new AsyncLocalStorage<Process>();
export const currentProcess = (): Process | undefined => running.getStore();
export const inProcess = <T>(process: Process, act: () => T): T => running.run(process, act);

/** When the month begins. */
export const start = Date.UTC(2096, 10, 1);
let now = start;
let waiting: Timer[] = [];
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

const zlibPrototype = Object.getPrototypeOf(zlib.ZstdCompress.prototype.constructor.prototype);
const transformer = (): { _transform: (...args: unknown[]) => void } => {
  for (let found = zlibPrototype; found; found = Object.getPrototypeOf(found)) {
    if (Object.hasOwn(found, "_transform")) return found;
  }
  throw new Error("node:zlib has changed");
};

const real = {
  setTimeout,
  clearTimeout,
  setImmediate,
  sleep: timers.setTimeout,
  dateNow: Date.now,
  performanceNow: performance.now,
  uptime: process.uptime,
  random: Math.random,
  abortAfter: AbortSignal.timeout,
  randomUUID: crypto.randomUUID,
  randomBytes: crypto.randomBytes,
  transform: transformer()._transform,
};

/** Replaces clocks, timers and random numbers. Returns the function that puts them back. */
export const replaceTime = (): (() => void) => {
  Object.assign(globalThis, {
    setTimeout: (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      schedule(() => run(...args), ms),
    clearTimeout: cancel,
  });
  Object.assign(timers, { setTimeout: sleep });
  Date.now = () => now + (currentProcess()?.skew ?? 0);
  performance.now = () => now - start;
  process.uptime = () => (now - start) / 1000;
  Math.random = () => currentProcess()?.random.next() ?? real.random();
  AbortSignal.timeout = abortAfter;
  Object.assign(crypto, {
    randomUUID: () => currentProcess()?.random.uuid() ?? real.randomUUID(),
    randomBytes: (count: number) => currentProcess()?.random.bytes(count) ?? real.randomBytes(count),
  });
  transformer()._transform = function (chunk, encoding, done) {
    compressing++;
    const isDone = (...results: unknown[]) => {
      compressing--;
      Reflect.apply(done as () => void, undefined, results);
    };
    Reflect.apply(real.transform, this, [chunk, encoding, isDone]);
  };
  syncBuiltinESMExports();
  return () => {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
    Object.assign(timers, { setTimeout: real.sleep });
    Date.now = real.dateNow;
    performance.now = real.performanceNow;
    process.uptime = real.uptime;
    Math.random = real.random;
    AbortSignal.timeout = real.abortAfter;
    Object.assign(crypto, { randomUUID: real.randomUUID, randomBytes: real.randomBytes });
    transformer()._transform = real.transform;
    syncBuiltinESMExports();
  };
};

/** Until everybody waits at a timer. A response that is streamed takes a few turns of the event loop. */
const settle = async (): Promise<void> => {
  do {
    for (let turns = 0; turns < 3; turns++) await new Promise(real.setImmediate);
  } while (compressing > 0);
};

/** Lets time pass until `work` is done. @throws Error if nobody has anything left to wait for */
export const run = async <T>(work: () => Promise<T>): Promise<T> => {
  now = start;
  waiting = [];
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  const result = work();
  result.then(end, end);
  for (await settle(); !isDone; await settle()) {
    const timer = waiting.shift();
    if (!timer) throw new Error("Somebody waits for something that never comes");
    now = Math.max(now, timer.at);
    timer.run();
  }
  return result;
};
