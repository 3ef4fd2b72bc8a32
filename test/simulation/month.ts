/** One month: what the seed plans, how it goes, and what is left of it in the end. */

import { type Fault, faultNames } from "../world/gate.ts";
import { type Random, randomFrom } from "../world/random.ts";
import { run, sleep, start, trueTime } from "../world/time.ts";
import { audit, auditDeadLetters } from "./audit.ts";
import { type Cast, focusOn, newCast } from "./cast.ts";
import { checkErasure } from "./erasure.ts";
import type { Stage } from "./operations/operation.ts";
import { senderOfMonth } from "./operations/ses.ts";
import { type OperationName, operationNames, operations } from "./operations.ts";
import { checkRestore, takeBackup } from "./restore.ts";
import { type Handlers, newWorld, tableName, type World } from "./world.ts";

/** @property cut the number of calls after which the actor has no power */
export type Step = { at: number; operation: OperationName; args: object; number: number; cut: number | undefined };
export type Plan = { seed: string; rate: number; kinds: Fault[]; cast: Cast; steps: Step[] };

const newSteps = (random: Random, cast: Cast): Step[] => {
  const steps: Step[] = [];
  const favourites = operationNames.filter(() => random.chance(0.6));
  for (const burst of cast.bursts) {
    const part = random.chance(0.5) ? focusOn(random, cast) : cast;
    for (let count = 3 + random.below(9); count > 0; count--) {
      const at = burst + (random.chance(0.7) ? random.below(200) : random.below(5000));
      const operation = random.oneOf(random.chance(0.7) && favourites.length > 0 ? favourites : operationNames);
      // A caller who got no response sends the same request again, and an operator the same command.
      const same = steps.filter((step) => step.operation === operation);
      const args =
        random.chance(0.35) && same.length > 0 ? random.oneOf(same).args : operations[operation].plan(random, part);
      const cut = random.chance(0.2) ? random.below(8) : undefined;
      steps.push({ at, operation, args, number: steps.length, cut });
    }
  }
  return steps.sort((a, b) => a.at - b.at);
};

/** Every seed has other weather: some faults only, and of those few or many. */
export const newPlan = (seed: string): Plan => {
  const random = randomFrom(seed);
  const cast = newCast(random, start);
  return {
    seed,
    rate: random.oneOf([0, 0.02, 0.08, 0.25]),
    kinds: faultNames.filter(() => random.chance(0.5)),
    cast,
    steps: newSteps(random, cast),
  };
};

const perform = (stage: Stage, operation: OperationName, args: object): Promise<void> =>
  (operations[operation].run as (stage: Stage, args: object) => Promise<void>)(stage, args);

/** Another table tells which ids the imported emails will have. */
const learnIds = async (world: World, cast: Cast): Promise<void> => {
  world.engine.create("elsewhere");
  process.env.TABLE_NAME = "elsewhere";
  for (const { name, account, raw, isImported } of cast.messages) {
    const args = ["import-message", "--account", account, "--domain", cast.domain, "-"];
    const importIt = async () => {
      const { lines } = await world.admin(args, raw ?? "");
      world.ids.set(name, String(lines[0]?.id));
    };
    if (isImported) await world.act(`id of ${name}`, importIt);
  }
  process.env.TABLE_NAME = tableName;
};

const begin = async (world: World, cast: Cast): Promise<void> => {
  await learnIds(world, cast);
  for (const { name, retain_until } of cast.messages) {
    world.model.expire(name, Math.floor(Date.parse(retain_until) / 1000), { from: -1, to: -1 });
  }
  const [ofSes] = cast.messages.filter(({ isOfSes }) => isOfSes);
  const options = ["--account", ofSes?.account ?? "", "--domain", cast.domain, "--retain-days", "90"];
  await world.act("sender", async () => void (await world.admin(["add-sender", senderOfMonth, ...options])));
  for (const account of cast.accounts) {
    for (const name of ["root", "k0"]) {
      await world.act(`${name} ${account}`, (process) =>
        perform({ world, process, cast }, "create-key", { account, name }),
      );
    }
  }
};

const day = 24 * 3600 * 1000;

/** The faults are over, and who was interrupted does it again. Then everything has to be in its place. */
const end = async (world: World, cast: Cast, steps: Step[]): Promise<void> => {
  world.weather.rate = 0;
  await sleep(day);
  await world.queue.drained();
  const redrivenAt = trueTime();
  world.queue.redrive();
  await world.queue.drained();
  auditDeadLetters(world, redrivenAt);
  await world.act("erasure", () => checkErasure(world, cast));
  for (const { operation, args, number } of steps) {
    if (!["delete-message", "remove-content"].includes(operation)) continue;
    await world.act(`end ${number}`, (process) => perform({ world, process, cast }, operation, args));
  }
  await sleep(3000);
  for (const { name } of cast.messages) {
    await world.act(`last ${name}`, (process) =>
      perform({ world, process, cast }, "get-message", { name, key: "root", polls: 0 }),
    );
  }
  await world.act("audit", async () => audit(world, cast));
  await world.act("restore", () => checkRestore(world, cast));
};

export type Month = { failure: Error | undefined; counts: Map<string, number> };

/** Lives through the planned month. */
export const live = async (plan: Plan, handlers: Handlers, log: () => string): Promise<Month> => {
  const { cast, steps, seed, rate, kinds } = plan;
  let world: World | undefined;
  const work = async () => {
    world = newWorld(seed, handlers, { rate: 0, kinds });
    const here = world;
    await begin(here, cast);
    here.weather.rate = rate;
    const last = steps.at(-1)?.at ?? start;
    const middle = cast.bursts[Math.floor(cast.bursts.length / 2)] ?? start;
    const backup = async () => {
      await sleep(middle + 1000 - trueTime());
      takeBackup(here);
    };
    const actors = steps.map(async ({ at, operation, args, number, cut }) => {
      await sleep(at - trueTime());
      await here.act(`${operation} ${number}`, (process) => {
        if (cut !== undefined) process.callsLeft = cut;
        return perform({ world: here, process, cast }, operation, args);
      });
    });
    await Promise.all([...actors, backup(), here.timeToLive(last + 2 * day)]);
    await end(here, cast, steps);
  };
  const failure = await run(work).then(
    () => undefined,
    (error) => error as Error,
  );
  const leak = /emk_|person\.example|Never log this/.exec(log())?.[0];
  const leaked = leak === undefined ? undefined : new Error(`A log line contains ${leak}`);
  return { failure: world?.violations[0] ?? failure ?? leaked, counts: world?.counts ?? new Map() };
};
