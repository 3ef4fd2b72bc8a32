import { expect, test } from "vitest";
import { retry } from "../../../lib/table/retry.ts";

const throttled = Object.assign(new Error("slow down"), { name: "ThrottlingException" });

/** Fails the given number of times, then returns how often it was called. */
const failing = (times: number, error: Error) => {
  let calls = 0;
  return () => (calls++ < times ? Promise.reject(error) : Promise.resolve(calls));
};

test.each([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "TimeoutError",
])("A call that fails with %s is made again until it succeeds", async (name) => {
  const error = Object.assign(new Error(), { name });

  expect(await retry(failing(3, error))).toBe(4);
});

test("A call that no other try can mend is made once", async () => {
  const call = failing(1, new Error("not yours"));

  await expect(retry(call)).rejects.toThrow("not yours");

  expect(await call()).toBe(2);
});

test("After its timeoutMs it throws what the last try threw", async () => {
  await expect(retry(failing(Infinity, throttled), { timeoutMs: 100 })).rejects.toBe(throttled);
});

test("It stops waiting when nobody needs the result any more", async () => {
  const leave = new AbortController();
  const result = retry(failing(Infinity, throttled), { signal: leave.signal });

  leave.abort();

  await expect(result).rejects.toThrow("aborted");
});
