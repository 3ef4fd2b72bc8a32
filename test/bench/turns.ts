/** Measures variants of a function in turns, so that a slow moment of the machine slows all of them. */
import { setTimeout as sleep } from "node:timers/promises";
import { type LoadedFunction, startFunction } from "./function.ts";
import type { Event, Report } from "./function-process.ts";

/** After its turn, a process collects its garbage. The pause keeps that out of the next process's turn. */
const pauseMilliseconds = 100;

/** Calls `measure` for each name in each round. The order turns from round to round. Returns the results by name. */
export const inRounds = async <Name extends string, Result>(
  rounds: number,
  names: readonly Name[],
  measure: (name: Name, round: number) => Promise<Result>,
): Promise<Record<Name, Result[]>> => {
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as Name;
      await sleep(pauseMilliseconds);
      results[name].push(await measure(name, round));
    }
  }
  return results;
};

/** A process for one function, and the requests of one turn. */
export type Variant = { bundle: string; environment?: NodeJS.ProcessEnv; turn: () => Event[] };

type Plan = {
  rounds: number;
  /** Repeats the turn until V8 has compiled the code, at least once. */
  warmUpTurns: number;
  /** Processes for each variant, one after the other. V8's layout makes two processes of one variant differ. */
  processes?: number;
};

/** Starts a process for each variant, warms it up, and measures the variants in turns. */
export const inTurns = async <Name extends string>(
  variants: Record<Name, Variant>,
  { rounds, warmUpTurns, processes = 1 }: Plan,
): Promise<Record<Name, Report[]>> => {
  const names = Object.keys(variants) as Name[];
  const reports = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Report[]>;
  for (let process = 0; process < processes; process++) {
    const functions = {} as Record<Name, LoadedFunction>;
    const start = async (name: Name): Promise<void> => {
      const { bundle, environment, turn } = variants[name];
      functions[name] = await startFunction(bundle, environment);
      for (let turns = 0; turns < warmUpTurns; turns++) await functions[name].run({ events: turn() });
    };
    await Promise.all(names.map(start));
    const measured = await inRounds(rounds, names, (name) =>
      functions[name].run({ events: variants[name].turn() }),
    );
    await Promise.all(names.map((name) => functions[name].stop()));
    for (const name of names) reports[name].push(...measured[name]);
  }
  return reports;
};
