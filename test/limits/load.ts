/** Load on the real functions. Callers do not wait for each other, and each request at once has its own environment. */
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";
import type { Table } from "../../lib/table/table.ts";

type Prelude = { statusCode: number };
type Handler = (...input: never[]) => Promise<Prelude | undefined>;

export const percentile = (share: number, values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** Invokes a function in a free environment, or in a new one with its own client. Returns each response's status. */
export const environments = (create: (table: Table) => unknown, open: () => Table, timeoutMs: number) => {
  const statuses = new WeakMap<Writable, number>();
  const from = (stream: Writable, { statusCode }: Prelude) => {
    statuses.set(stream, statusCode);
    return stream;
  };
  vi.stubGlobal("awslambda", { ...awslambda, HttpResponseStream: { from } });
  const idle: Handler[] = [];
  let busy = 0;
  let most = 0;
  return {
    /** The largest number of environments that were busy at once. */
    most: () => most,
    invoke: async (event: object): Promise<number> => {
      const handler = idle.pop() ?? (create(open()) as Handler);
      most = Math.max(most, ++busy);
      const deadline = Date.now() + timeoutMs;
      const context = { getRemainingTimeInMillis: () => deadline - Date.now() };
      const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
      const isStreaming = Reflect.ownKeys(handler).some((key) => typeof key === "symbol");
      const response = await Reflect.apply(handler, undefined, [event, ...(isStreaming ? [stream] : []), context]);
      busy--;
      idle.push(handler);
      return response?.statusCode ?? statuses.get(stream) ?? 0;
    },
  };
};

export type Sent = { status: number; ms: number };

/** Sends requests at random times, `perSecond` on average. Returns them when all have their responses. */
export const load = async (perSecond: number, seconds: number, send: () => Promise<number>): Promise<Sent[]> => {
  const sent: Promise<Sent>[] = [];
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    await sleep((-Math.log(1 - Math.random()) / perSecond) * 1000);
    const start = Date.now();
    sent.push(send().then((status) => ({ status, ms: Date.now() - start })));
  }
  return Promise.all(sent);
};
