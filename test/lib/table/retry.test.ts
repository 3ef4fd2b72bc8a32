import { expect, test } from "vitest";
import { retry } from "../../../lib/table/retry.ts";

const throttled = Object.assign(new Error("slow down"), { name: "ThrottlingException" });

/** Fails the given number of times, then returns the number of calls. */
const failing = (times: number, error: Error) => {
  let calls = 0;
  return () => (calls++ < times ? Promise.reject(error) : Promise.resolve(calls));
};

test("A call that is throttled is retried until it succeeds", async () => {
  expect(await retry(failing(3, throttled))).toBe(4);
});

test("A call with an error that is not retryable is made once", async () => {
  const call = failing(1, new Error("not yours"));

  await expect(retry(call)).rejects.toThrow("not yours");

  expect(await call()).toBe(2);
});

test("After its timeout it throws the error of the last attempt", async () => {
  await expect(retry(failing(Infinity, throttled), { timeoutMs: 100 })).rejects.toBe(throttled);
});

test("A signal ends the retries", async () => {
  const leave = new AbortController();
  const result = retry(failing(Infinity, throttled), { signal: leave.signal });

  leave.abort();

  await expect(result).rejects.toThrow("aborted");
});
