/** What operations are made of. Each chooses its arguments, and tells the model when it begins and what became of it. */

import type { Random } from "../../world/random.ts";
import { type Process, trueTime } from "../../world/time.ts";
import type { Cast, CastMessage } from "../cast.ts";
import type { Move } from "../timeline.ts";
import type { Ran, World } from "../world.ts";

export type Stage = { world: World; process: Process; cast: Cast };

export type Operation<Args> = {
  /** Chooses the arguments. They are JSON, so that a failure can print them. */
  plan: (random: Random, cast: Cast) => Args;
  run: (stage: Stage, args: Args) => Promise<void>;
};
export const operation = <Args extends object>(definition: Operation<Args>) => definition;

export const nameOf = (random: Random, { messages }: Cast, isWanted = (_: CastMessage) => true): string =>
  random.oneOf(messages.filter(isWanted)).name;
export const messageOf = ({ cast, world }: Stage, name: string) => {
  const found = cast.messages.find((message) => message.name === name) as CastMessage;
  return { ...found, id: world.ids.get(name) ?? found.id };
};

/** The key with this name; until it exists, the account's first one. */
export const keyOf = ({ world }: Stage, account: string, name: string) => {
  const found = world.keys.get(`${name} of ${account}`);
  const key = found ? `${name} of ${account}` : `root of ${account}`;
  return { key, secret: (found ?? world.keys.get(key))?.secret ?? "" };
};

/** Runs a command that switches something on or off. `isDone` reads its output; if it says no, nobody knows. */
export const command = async (
  { world }: Stage,
  args: string[],
  moves: Move[],
  isDone: (ran: Ran) => boolean,
  input?: string,
): Promise<Ran> => {
  const ran = await world.admin(args, input);
  world.model.endAll(moves, trueTime(), isDone(ran) ? "done" : "maybe");
  return ran;
};
