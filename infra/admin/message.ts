/** Messages as an operator names them, and what a backup still has of one that was removed. */
import * as z from "zod/mini";
import { dayMilliseconds } from "../../lib/duration.ts";
import type { MessageRef } from "../../lib/messages/events.ts";
import { UserError } from "../user-error.ts";
import { report, type Shell } from "./command.ts";

const guid = z.guid();

export const idArgument = "a message's id; - reads them from standard input";

/** @throws UserError if the name is not an id */
export const messageNamed = (account_id: string, name: string): MessageRef => {
  if (guid.safeParse(name).success) return { account_id, id: name.toLowerCase() };
  throw new UserError(`${name}: a message's id is a UUID`, 2);
};

export const noSuchMessage = ({ id }: MessageRef): Error =>
  new Error(`${id}: the account has no such message`);

const recoveryDays = 35;

/** Tells of a removal, and until when a table that is restored to an earlier second has it again. */
export const reportRemoval = (
  shell: Shell,
  { local, json }: { local?: true | undefined; json?: true | undefined },
  removed: "deleted" | "content_removed",
  { id }: MessageRef,
): void => {
  const end = new Date(Date.now() + recoveryDays * dayMilliseconds).toISOString();
  const recoverable_until = local ? null : end; // an engine on this machine keeps nothing
  const note = recoverable_until ? `   (point-in-time recovery has it until ${end})` : "";
  report(
    shell,
    json,
    { id, [removed]: true, recoverable_until },
    `${removed.replace("_", " ")}   ${id}${note}`,
  );
};

export const aboutBackups = `
Point-in-time recovery still has what was removed, for ${recoveryDays} days: whoever restores the table to an earlier
second has to remove it again. A backup or an export that somebody made has it for as long as it is kept.`;
