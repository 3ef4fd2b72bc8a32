/** `show-message` prints the fields of a message and how it is stored, even if the message is damaged. */
import { Option } from "@commander-js/extra-typings";
import { MissingSegmentError, readSegments } from "../../lib/messages/content/read-segments.ts";
import type { Head } from "../../lib/messages/head.ts";
import { expiryOf, readMarker } from "../../lib/messages/marker.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import { findMessage, type StoredMessage } from "../../lib/messages/read/find-message.ts";
import { headFields } from "../../lib/messages/read/head-fields.ts";
import { getItem } from "../../lib/table/get.ts";
import { headKey } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../cli/user-error.ts";
import { clockOf } from "./clock.ts";
import { openTableOf, report, type Shell } from "./command.ts";
import { defineMessageCommand, forEachMessage } from "./message-command.ts";

/** To find out whether a segment is missing, we have to read them all. */
const storageOf = async (message: StoredMessage) => {
  const { head } = message;
  const storage = { segments: head.segments, bytes: 0, email_digest: head.digest };
  try {
    for await (const segment of readSegments(message)) storage.bytes += segment.length;
    return storage;
  } catch (error) {
    if (!(error instanceof MissingSegmentError)) throw error;
    return { ...storage, missing: error.message };
  }
};

/** Why the account has no such message. A deletion and a message's expiry leave a marker, also in a table without TTL. */
const absenceOf = async (table: Table, message: MessageRef): Promise<string> => {
  const { deleted_at, expires_at } = (await readMarker(table, message)) ?? {};
  if (deleted_at) return `deleted at ${deleted_at}: no event can store it again`;
  const { created_at, retain_until } =
    (await getItem<Head>(table, headKey(message.account_id, message.id), { consistent: true })) ?? {};
  const expiredAt = created_at ? retain_until : expires_at && expiryOf(expires_at);
  if (expiredAt) return `expired at ${expiredAt}`;
  return "unknown. The account never had it, or it expired more than a year ago";
};

const linesOf = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(24)}${typeof value === "string" ? value : JSON.stringify(value)}`);

export const showMessage = (shell: Shell) =>
  defineMessageCommand("show-message", "show the fields of messages, and how they are stored")
    .addOption(new Option("--open", "print the address of the message's page on npm start").implies({ local: true }))
    .addHelpText("after", "\nOver HTTP, Get Message returns chosen fields: ?fields=status,delivery_attempts")
    .action(async (operands, { account, local, open, json }) => {
      const table = openTableOf({ local });
      const clock = await clockOf(shell, table);
      return forEachMessage(shell, operands, account, async ({ id }) => {
        const message = await findMessage(table, account, id, clock(), { withContent: false });
        if (!message) throw new UserError(`${id}: ${await absenceOf(table, { account_id: account, id })}`);
        if (open) {
          const url = `http://127.0.0.1:${process.env.PORT ?? 3000}/messages#${account}/${id}`;
          return report(shell, json, { id, url }, url);
        }
        const stored_content = await storageOf(message);
        const fields = { ...headFields(message), stored_content };
        report(shell, json, fields, ...linesOf(fields), "");
        if ("missing" in stored_content) throw new UserError(`${id}: damaged. restore-content writes its email again`);
      });
    });
