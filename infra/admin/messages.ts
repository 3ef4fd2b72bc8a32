/** The commands on stored messages. */
import { Option } from "@commander-js/extra-typings";
import * as messages from "../../lib/messages/delete.ts";
import type { MessageRef } from "../../lib/messages/events.ts";
import { findMessage, type StoredMessage } from "../../lib/messages/find.ts";
import { headFields } from "../../lib/messages/head-fields.ts";
import { readLongFields } from "../../lib/messages/long-fields.ts";
import type { Table } from "../../lib/table/table.ts";
import { dayMilliseconds } from "../../lib/time.ts";
import { UserError } from "../cli/user-error.ts";
import { defineCommand, forEachOperand, guid, openTableOf, report, type Shell, uuid } from "./command.ts";

const defineMessageCommand = (name: string, summary: string) =>
  defineCommand(name, summary)
    .argument("<id...>", "a message's id; - reads ids from standard input")
    .requiredOption("--account <uuid>", "the account", uuid);

/** Calls `act` for each message. `act` returns false if the account has no message with this id. */
const forEachMessage = (
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

/** Returns the content's segment count, size and digest. Reads all segments to detect a missing segment. */
const storageOf = async ({ head, segments }: StoredMessage) => {
  let bytes = 0;
  for await (const segment of segments()) bytes += segment.length;
  return { segments: head.segments, bytes, email_digest: head.digest };
};

const linesOf = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(24)}${typeof value === "string" ? value : JSON.stringify(value)}`);

export const showMessage = (shell: Shell) =>
  defineMessageCommand("show-message", "show the fields of messages, and how they are stored")
    .addOption(
      new Option("--open", "print the address of the message's page on npm start").implies({ local: true }),
    )
    .addHelpText("after", "\nOver HTTP, Get Message returns chosen fields: ?fields=status,delivery_attempts")
    .action((operands, { account, local, open, json }) => {
      const table = openTableOf({ local });
      return forEachMessage(shell, operands, account, async ({ id }) => {
        const message = await findMessage(table, account, id, Date.now());
        if (!message) return false;
        const url = `http://127.0.0.1:${process.env.PORT ?? 3000}/messages#${account}/${id}`;
        const fields = open
          ? { id, url }
          : {
              ...headFields(message.head),
              ...(await readLongFields(message)),
              stored_content: await storageOf(message),
            };
        report(shell, json, fields, ...(open ? [url] : [...linesOf(fields), ""]));
        return true;
      });
    });

const recoveryDays = 35;

const aboutBackups = `
Point-in-time recovery keeps the deleted data for ${recoveryDays} days. If you restore the table to an earlier second,
delete the data again. Other backups and exports keep the data for as long as you keep them.`;

/** Defines a command that deletes messages or only their content. `remove` returns false if no message was found. */
const defineRemoval = (
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

export const deleteMessage = (shell: Shell) =>
  defineRemoval(shell, "delete-message", "delete messages", "deleted", messages.deleteMessage);

const aboutOtherFields = `
The message keeps its other fields, such as sender and subject. Use delete-message to delete these, too.
Another import of the same email does not bring the content back.`;

export const removeContent = (shell: Shell) =>
  defineRemoval(
    shell,
    "remove-content",
    "delete the emails of messages (content: null)",
    "content_removed",
    messages.removeContent,
  ).addHelpText("after", aboutOtherFields);
