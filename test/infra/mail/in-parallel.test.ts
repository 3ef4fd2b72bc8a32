import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { inParallel } from "../../../infra/mail/in-parallel.ts";

/** Acts on the items, and returns the most that were acted on together, by number and by bytes. */
const most = async (sizes: number[]) => {
  const now = { items: 0, bytes: 0 };
  const most = { items: 0, bytes: 0, done: 0 };
  const act = async (size: number) => {
    now.items++;
    now.bytes += size;
    most.items = Math.max(most.items, now.items);
    most.bytes = Math.max(most.bytes, now.bytes);
    await setImmediate();
    now.items--;
    now.bytes -= size;
    most.done++;
  };
  await inParallel(Readable.from(sizes), (size) => size, act);
  return most;
};

const megabyte = 1024 * 1024;

test.each([
  [200, 1, 32],
  [10, 20 * megabyte, 2],
  [3, 60 * megabyte, 1],
])("Memory is bounded: %i items of %i bytes run at most %i at the same time", async (done, size, items) => {
  expect(await most(Array(done).fill(size))).toEqual({ items, bytes: items * size, done });
});
