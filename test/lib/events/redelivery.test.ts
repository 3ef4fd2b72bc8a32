import { expect, test } from "vitest";
import { receivesWithin, retrySeconds } from "../../../lib/events/redelivery.ts";

const attemptsInAnHour = receivesWithin(60 * 60);

/** For each attempt of an event that keeps failing: the time since the first attempt, and the wait that follows. */
const attempts: { elapsed: number; wait: number }[] = [];
for (let [receives, elapsed] = [1, 0]; receives <= attemptsInAnHour; receives++) {
  const wait = retrySeconds(receives);
  attempts.push({ elapsed, wait });
  elapsed += wait;
}

test("An event that keeps failing becomes a dead letter after about an hour", () => {
  const { elapsed = 0, wait = 0 } = attempts.at(-1) ?? {};

  expect((elapsed + wait) / 3600).toBeCloseTo(1, 1);
  expect(attemptsInAnHour).toBeLessThanOrEqual(1000); // SQS accepts no more.
  expect([1, 5, 20].map(receivesWithin)).toEqual([1, 5, 12]);
});

test("An early event is retried within 10 seconds for 90 seconds, and later within a tenth of its age", () => {
  for (const { elapsed, wait } of attempts) {
    expect(wait).toBeLessThanOrEqual(Math.max(10, Math.ceil(elapsed * 0.115)));
  }
  const waits = attempts.map(({ wait }) => wait);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
});
