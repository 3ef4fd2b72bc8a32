import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { inParallel } from "../../../infra/mail/in-parallel.ts";

/** Acts on the items, and returns the most that were acted on together, by number and by bytes. */
const most = async (sizes: number[], ticksOf = (_: number) => 1) => {
  const now = { items: 0, bytes: 0 };
  const most = { started: 0, items: 0, bytes: 0, done: 0 };
  const act = async (size: number) => {
    now.items++;
    now.bytes += size;
    most.items = Math.max(most.items, now.items);
    most.bytes = Math.max(most.bytes, now.bytes);
    for (let tick = ticksOf(most.started++); tick > 0; tick--) await setImmediate();
    now.items--;
    now.bytes -= size;
    most.done++;
  };
  await inParallel(Readable.from(sizes), (size) => size, act);
  const { items, bytes, done } = most;
  return { items, bytes, done };
};

const megabyte = 1024 * 1024;

test.each([
  [200, 1, 32],
  [10, 20 * megabyte, 2],
  [3, 60 * megabyte, 1],
])("Memory is bounded: %i items of %i bytes run at most %i at the same time", async (done, size, items) => {
  expect(await most(Array(done).fill(size))).toEqual({ items, bytes: items * size, done });
});

test("A large item waits until enough small ones have ended, and not only the first", async () => {
  const sizes = [...Array(10).fill(4 * megabyte), 40 * megabyte];

  const { bytes, done } = await most(sizes, (index) => 1 + index);

  expect({ bytes, done }).toEqual({ bytes: 48 * megabyte, done: 11 });
});
