import { expect, test } from "vitest";
import { retry } from "../../../lib/table/retry.ts";
import { uptimeMs } from "../../../lib/time/clock.ts";

const throttled = Object.assign(new Error("slow down"), { name: "ThrottlingException" });

/** Fails the given number of times, then returns the number of calls. */
const failing = (times: number, error: Error) => {
  let calls = 0;
  return () => (calls++ < times ? Promise.reject(error) : Promise.resolve(calls));
};

test("After its deadline it throws the error of the last attempt", async () => {
  await expect(retry(failing(Infinity, throttled), { deadline: uptimeMs() + 100 })).rejects.toBe(throttled);
});

test("A signal ends the retries", async () => {
  const leave = new AbortController();
  const result = retry(failing(Infinity, throttled), { signal: leave.signal });

  leave.abort();

  await expect(result).rejects.toThrow("aborted");
});
