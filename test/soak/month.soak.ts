/**
 * Months of the simulated service for as long as the minutes allow, each with its own seed. `MINUTES=1 npm run soak`
 * takes one minute; `FROM=2000 SEEDS=1000` lives through the months of these seeds.
 */
import { expect, test } from "vitest";
import { liveThrough } from "../simulation/seeds.ts";

const { MINUTES = 10, FROM = 0, SEEDS = Number.POSITIVE_INFINITY } = process.env;

test("In months of faults, every response and every item is one that the contract allows", async () => {
  const end = process.hrtime.bigint() + BigInt(Math.round(Number(MINUTES) * 60e9)); // Other clocks are simulated.
  const seeds = function* () {
    for (let seed = Number(FROM); seed < Number(FROM) + Number(SEEDS); seed++) {
      if (process.hrtime.bigint() > end) return;
      yield String(seed);
    }
  };

  const { months, counts, report } = await liveThrough(seeds());

  console.log(`${months} months`, Object.fromEntries([...counts].toSorted()));
  expect(report).toBe("");
});
