import { expect, test, vi } from "vitest";
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

test("Without a deadline, it gives up after a minute", async () => {
  let seconds = 0;
  vi.spyOn(process, "uptime").mockImplementation(() => seconds);
  vi.spyOn(Math, "random").mockReturnValue(0);
  const call = vi.fn(async () => {
    seconds += 20;
    throw throttled;
  });

  await expect(retry(call)).rejects.toBe(throttled);

  expect(call).toHaveBeenCalledTimes(4); // after 20, 40, 60 and 80 seconds
});

test("An error that will last is not retried", async () => {
  const call = vi.fn(() => Promise.reject(new Error("forbidden")));

  await expect(retry(call)).rejects.toThrow("forbidden");

  expect(call).toHaveBeenCalledOnce();
});

test("A signal ends the retries", async () => {
  const leave = new AbortController();
  const result = retry(failing(Infinity, throttled), { signal: leave.signal });

  leave.abort();

  await expect(result).rejects.toThrow("aborted");
});
