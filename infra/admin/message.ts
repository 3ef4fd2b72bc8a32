/** Commands on messages. */
import * as z from "zod/mini";
import { dayMilliseconds } from "../../lib/duration.ts";
import type { MessageRef } from "../../lib/messages/events.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../user-error.ts";
import { defineCommand, forEachOperand, openTableOf, report, type Shell, uuid } from "./command.ts";

const guid = z.guid();

export const defineMessageCommand = (name: string, summary: string) =>
  defineCommand(name, summary)
    .argument("<id...>", "a message's id; - reads ids from standard input")
    .requiredOption("--account <uuid>", "the account", uuid);

/** Calls `act` for each message. `act` returns false if the account has no message with this id. */
export const forEachMessage = (
  shell: Shell,
  operands: string[],
  account_id: string,
  act: (message: MessageRef) => Promise<boolean>,
): Promise<void> =>
  forEachOperand(shell, operands, async (name) => {
    if (!guid.safeParse(name).success) throw new UserError(`${name}: a message's id is a UUID`, 2);
    const id = name.toLowerCase();
    if (!(await act({ account_id, id }))) throw new UserError(`${id}: the account has no such message`);
  });

const recoveryDays = 35;

const aboutBackups = `
Point-in-time recovery keeps the deleted data for ${recoveryDays} days. If you restore the table to an earlier second,
delete the data again. Other backups and exports keep the data for as long as you keep them.`;

/** Defines a command that deletes messages or only their content. `remove` returns false if no message was found. */
export const defineRemoval = (
  shell: Shell,
  name: string,
  summary: string,
  outcome: "deleted" | "content_removed",
  remove: (table: Table, message: MessageRef, now: number) => Promise<boolean>,
) =>
  defineMessageCommand(name, summary)
    .addHelpText("after", aboutBackups)
    .action((operands, { account, local, json }) => {
      const table = openTableOf({ local });
      return forEachMessage(shell, operands, account, async (message) => {
        const now = Date.now();
        if (!(await remove(table, message, now))) return false;
        const end = new Date(now + recoveryDays * dayMilliseconds).toISOString();
        const recoverable_until = local ? null : end; // A local engine has no backups.
        const note = local ? "" : `   (point-in-time recovery has it until ${end})`;
        const line = `${outcome.replace("_", " ")}   ${message.id}${note}`;
        report(shell, json, { id: message.id, [outcome]: true, recoverable_until }, line);
        return true;
      });
    });
