/**
 * One seed decides everything that a real month leaves to chance. Processes are ordinary async functions. Each of their
 * calls to DynamoDB, S3 and SQS waits at a gate, once on its way there and once on its way back, and the scheduler opens
 * one gate at a time. Nobody waits for a timer: when all processes sleep, the clock jumps to the next one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { onTestFinished, vi } from "vitest";

/** A process: a Lambda environment, a worker or a command. Its clock may be off by `skewMs`. */
export type Process = { name: string; skewMs: number; waiting: number; isDead: boolean };

type Gate = { process: Process; at: number; open: () => void };

export type Random = () => number;

/** mulberry32, so that a seed gives the same month on every machine. */
const numbersFrom = (seed: number): Random => {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const running = new AsyncLocalStorage<Process>();
export const currentProcess = (): Process | undefined => running.getStore();

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export type Scheduler = ReturnType<typeof startScheduler>;

/** Replaces the clock, the timers and the random numbers of this process until the test ends. */
export const startScheduler = (seed: number, start: number) => {
  const random = numbersFrom(seed);
  let now = start;
  let gates: Gate[] = [];
  let processes: Process[] = [];
  const failures: unknown[] = [];

  const clock = () => now + (currentProcess()?.skewMs ?? 0);
  const wait = (ms: number, run: () => void): Gate => {
    const process = currentProcess() ?? { name: "month", skewMs: 0, waiting: 0, isDead: false };
    const gate: Gate = {
      process,
      at: now + ms,
      open: () => {
        process.waiting--;
        running.run(process, run);
      },
    };
    process.waiting++;
    gates.push(gate);
    return gate;
  };
  const cancel = (gate: Gate) => {
    if (!gates.includes(gate)) return;
    gates = gates.filter((other) => other !== gate);
    gate.process.waiting--;
  };
  const passGate = (): Promise<void> => new Promise((resolve) => wait(0, resolve));

  const sleep = (ms = 0, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const gate = wait(Math.max(1, ms), () => {
        signal?.removeEventListener("abort", abort);
        resolve(value);
      });
      const abort = () => {
        cancel(gate);
        reject(new DOMException("The sleep was aborted", "AbortError"));
      };
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });

  const [realSleep, realUuid] = [timers.setTimeout, crypto.randomUUID];
  const uuid = () => {
    const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("");
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
  };
  vi.spyOn(Date, "now").mockImplementation(clock);
  vi.spyOn(Math, "random").mockImplementation(random);
  vi.spyOn(process, "uptime").mockImplementation(() => (clock() - start) / 1000 + 1);
  Object.assign(timers, {
    setTimeout: (...input: Parameters<typeof sleep>) =>
      currentProcess() ? sleep(...input) : Reflect.apply(realSleep, timers, input),
  });
  Object.assign(crypto, { randomUUID: uuid });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(timers, { setTimeout: realSleep });
    Object.assign(crypto, { randomUUID: realUuid });
    syncBuiltinESMExports();
  });

  /** Calls that the engine is processing. */
  const inFlight = new Set<Promise<unknown>>();
  /** A process that waits at no gate is still at work, in its own code or in zlib. */
  const settle = async () => {
    for (let quiet = 0, turns = 0; quiet < 3; turns++) {
      await Promise.all(inFlight);
      await turn();
      quiet = inFlight.size > 0 || processes.some(({ waiting }) => waiting === 0) ? 0 : quiet + 1;
      if (turns > 500_000) throw new Error(`${processes.find(({ waiting }) => waiting === 0)?.name} hangs`);
    }
  };

  return {
    random,
    uuid,
    now: () => now,
    clock,
    passGate,
    /** Lets no other gate open until the engine has done the call. */
    atWork: <T>(call: Promise<T>): Promise<T> => {
      inFlight.add(call);
      return call.finally(() => inFlight.delete(call));
    },
    /** `true` once in `1 / share` times. */
    chance: (share: number): boolean => random() < share,
    oneOf: <T>(values: readonly [T, ...T[]] | readonly T[]): T =>
      values[Math.floor(random() * values.length)] as T,
    /** Lets time pass. Everything that sleeps until then wakes up at its own time. */
    advance: (ms: number) => {
      now += ms;
    },
    /** Starts a process. Its promise never settles if the process dies. */
    spawn: (name: string, act: () => Promise<unknown>): Process => {
      const process = { name, skewMs: Math.round((random() - 0.5) * 4000), waiting: 0, isDead: false };
      processes.push(process);
      const end = () => {
        processes = processes.filter((other) => other !== process);
      };
      running.run(process, act).then(end, (error) => {
        end();
        failures.push(error);
      });
      return process;
    },
    /** Stops the process between two calls, for ever. */
    kill: (process: Process) => {
      process.isDead = true;
      gates = gates.filter((gate) => gate.process !== process);
      processes = processes.filter((other) => other !== process);
    },
    /** Opens gates until no process is left. */
    run: async () => {
      for (await settle(); processes.length > 0; await settle()) {
        const ready = gates.filter(({ at }) => at <= now);
        if (gates.length === 0) throw new Error(`${processes.map(({ name }) => name)} waits for nothing`);
        if (ready.length === 0) {
          now = Math.min(...gates.map(({ at }) => at));
          continue;
        }
        now += Math.floor(random() * 20);
        const gate = ready[Math.floor(random() * ready.length)] as Gate;
        gates = gates.filter((other) => other !== gate);
        gate.open();
      }
      if (failures.length > 0) throw failures[0];
    },
  };
};
