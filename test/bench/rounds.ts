/** Measures variants in turn, round after round, so that what slows the machine down slows all of them. */
import { setTimeout as sleep } from "node:timers/promises";

/** A process clears up what it leaves behind beside the next one's turn, and without this in that one's time. */
const settlingMilliseconds = 100;

/** Answers what each variant measured, a value a round. The order turns from round to round. */
export const inRounds = async <Name extends string, T>(
  rounds: number,
  names: readonly Name[],
  measure: (name: Name, round: number) => Promise<T>,
): Promise<Record<Name, T[]>> => {
  const measured = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>;
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as Name;
      await sleep(settlingMilliseconds);
      measured[name].push(await measure(name, round));
    }
  }
  return measured;
};
