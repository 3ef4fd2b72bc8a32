import { expect, test } from "vitest";
import { maxReceiveCount, receivesWithin, retrySeconds } from "../../../lib/intake/event-lifetime.ts";

/** For each attempt of an event that keeps failing, the time since the first one and the wait that follows. */
const attempts = Array.from({ length: maxReceiveCount }, (_, index) => index + 1).map((receives) => ({
  elapsed: Array.from({ length: receives - 1 }, (_, index) => retrySeconds(index + 1)).reduce(
    (sum, seconds) => sum + seconds,
    0,
  ),
  wait: retrySeconds(receives),
}));

test("An event that keeps failing becomes a dead letter after about an hour", () => {
  const { elapsed = 0, wait = 0 } = attempts.at(-1) ?? {};

  expect((elapsed + wait) / 3600).toBeCloseTo(1, 1);
  expect(maxReceiveCount).toBeLessThanOrEqual(1000); // SQS accepts no more
});

test("An event whose message is stored within 90 seconds after it is retried within 10 seconds", () => {
  const soon = attempts.filter(({ elapsed }) => elapsed <= 90);

  expect(Math.max(...soon.map(({ wait }) => wait))).toBeLessThanOrEqual(10);
});

test("Later, each wait is about a tenth of the time before it, and longer than the last one", () => {
  for (const { elapsed, wait } of attempts.filter((attempt) => attempt.elapsed > 90)) {
    expect(wait / elapsed).toBeCloseTo(0.1, 1);
  }
  expect(attempts.map(({ wait }) => wait)).toEqual(
    attempts.map(({ wait }) => wait).toSorted((a, b) => a - b),
  );
});

test("A shorter time needs fewer deliveries", () => {
  expect([receivesWithin(1), receivesWithin(5), receivesWithin(20)]).toEqual([1, 5, 12]);
});
