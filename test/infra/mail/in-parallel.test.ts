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

test("Many small ones are under way together, but no more than 32", async () => {
  expect(await most(Array(200).fill(1))).toEqual({ items: 32, bytes: 32, done: 200 });
});

test("Large ones wait for each other, so that memory is bounded", async () => {
  expect(await most(Array(10).fill(20 * megabyte))).toEqual({ items: 2, bytes: 40 * megabyte, done: 10 });
  expect(await most(Array(3).fill(60 * megabyte))).toEqual({ items: 1, bytes: 60 * megabyte, done: 3 });
});

test("After a failure nothing more is begun, what runs ends, and the failure is thrown", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const act = async (item: number) => {
    begun.push(item);
    await setImmediate();
    if (item === 3) throw new Error("of 3");
    ended.push(item);
  };

  await expect(inParallel(Readable.from([...Array(1000).keys()]), () => 1, act)).rejects.toThrow("of 3");

  expect(begun.length).toBeLessThan(200);
  expect(ended).toHaveLength(begun.length - 1);
});
