/** Processes that share one simulated table: they act at the same time, in every order, and end between any two calls. */
import { onTestFinished } from "vitest";
import { openTable } from "../../lib/table/table.ts";
import { longestIndexLag, newEngine } from "./engine.ts";
import { buildGate, openGate } from "./gate.ts";
import { randomFrom } from "./random.ts";
import { inProcess, type Process, replaceTime, run, sleep, trueTime } from "./time.ts";

/** How long a call is held, in milliseconds: longer than the others need for all of theirs, and shorter than any limit. */
const longestHold = 2000;

/** So old that a read shows nothing of what the others do, unless it is consistent. The table keeps no older versions. */
const oldest = longestIndexLag;

type Act = () => Promise<unknown>;

/** Replaces DynamoDB and the time until the test ends. */
export const simulatedProcesses = () => {
  const table = openTable();
  let engine = newEngine(trueTime);
  replaceTime();
  onTestFinished(buildGate());
  openGate({ weather: { rate: 0, kinds: [] }, count: () => {}, call: (...call) => engine.call(...call) });

  const newProcess = (name: string, more: Partial<Process> = {}): Process => ({
    name,
    skew: 0,
    random: randomFrom(name),
    isStopped: false,
    ...more,
  });
  const start = (name: string, act: Act, more?: Partial<Process>) => inProcess(newProcess(name, more), act);

  return {
    table,
    items: () => engine.items(table.name),
    /** Lets `act` begin with an empty table. */
    onEmptyTable: (act: Act) => {
      engine = newEngine(trueTime);
      engine.create(table.name);
      return run(() => start("alone", act));
    },
    /** Lets everybody act at the same time. The seed decides how long each call takes, and so the order. */
    together: (seed: string, acts: Act[]) => Promise.all(acts.map((act, index) => start(`${seed} ${index}`, act))),
    /**
     * Lets `act` begin after `from` milliseconds, and holds its request or response number `hold`, from 0. The others take a
     * millisecond each. Returns whether there was one to hold. Reads that aren't consistent show what was there before.
     */
    held: async ({ from, hold }: { from: number; hold?: number }, act: Act): Promise<boolean> => {
      let number = 0;
      await sleep(oldest + from);
      await start(`held ${from}`, act, { latency: () => (number++ === hold ? longestHold : 1), lag: oldest });
      return hold !== undefined && number > hold;
    },
    /** Ends the process of `act` before the call with this number, from 0. Returns whether `act` got so far. */
    cutBefore: async (call: number, act: Act): Promise<boolean> => {
      const process = newProcess("cut", { callsLeft: call });
      await inProcess(process, act).catch(() => {});
      return process.isStopped;
    },
  };
};
