/** Measures variants of a function in turns, so that a slow moment of the machine slows all of them. */
import { setTimeout as sleep } from "node:timers/promises";
import { type LoadedFunction, startFunction } from "./function.ts";
import type { Event, Report } from "./function-process.ts";

/** After its turn, a process collects its garbage. The pause keeps that out of the next process's turn. */
const pauseMilliseconds = 20;

/** Returns an object with the same names. */
export const each = <Name extends string, From, To>(
  from: Record<Name, From>,
  convert: (value: From, name: Name) => To,
): Record<Name, To> => {
  const entries = Object.entries(from) as [Name, From][];
  return Object.fromEntries(entries.map(([name, value]) => [name, convert(value, name)])) as Record<Name, To>;
};

/** Calls `measure` for each name in each round. The order turns from round to round. Returns the results by name. */
export const inRounds = async <Name extends string, Result>(
  rounds: number,
  names: readonly Name[],
  measure: (name: Name) => Promise<Result>,
): Promise<Record<Name, Result[]>> => {
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as Name;
      await sleep(pauseMilliseconds);
      results[name].push(await measure(name));
    }
  }
  return results;
};

type Plan<Name> = {
  /** Returns the requests of one turn. */
  turn: (name: Name) => Event[];
  environment?: (name: Name) => NodeJS.ProcessEnv;
  rounds: number;
  /** Turns before the first round, in which V8 compiles the code. */
  warmUpTurns: number;
  /** Processes for each variant, one after the other. V8's layout makes two processes of one variant differ. */
  processes?: number;
};

/** Starts a process for each variant's bundle, warms it up, and measures the variants in turns. */
export const inTurns = async <Name extends string>(
  bundles: Record<Name, string>,
  { turn, environment = () => ({}), rounds, warmUpTurns, processes = 1 }: Plan<Name>,
): Promise<Record<Name, Report[]>> => {
  const names = Object.keys(bundles) as Name[];
  const reports = each(bundles, (): Report[] => []);
  for (let process = 0; process < processes; process++) {
    const start = async (name: Name): Promise<LoadedFunction> => {
      const started = await startFunction(bundles[name], environment(name));
      for (let turns = 0; turns < warmUpTurns; turns++) await started.run({ events: turn(name) });
      return started;
    };
    const starting = each(bundles, (_, name) => start(name));
    await Promise.all(Object.values(starting));
    const measured = await inRounds(rounds, names, async (name) => (await starting[name]).run({ events: turn(name) }));
    for (const name of names) {
      await (await starting[name]).stop();
      reports[name].push(...measured[name]);
    }
  }
  return reports;
};
