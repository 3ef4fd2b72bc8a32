/** `show-message` prints the fields of a message and how it is stored, even if the message is damaged. */
import { Option } from "@commander-js/extra-typings";
import { readSegments } from "../../lib/messages/content/read-segments.ts";
import { findMessage, type StoredMessage } from "../../lib/messages/read/find-message.ts";
import { headFields } from "../../lib/messages/read/head-fields.ts";
import { UserError } from "../cli/user-error.ts";
import { openTableOf, report, type Shell } from "./command.ts";
import { defineMessageCommand, forEachMessage, isDamage, noSuchMessage } from "./message-command.ts";

/** To find out whether a segment is missing, we have to read them all. */
const storageOf = async (message: StoredMessage) => {
  const { head } = message;
  const storage = { segments: head.segments, bytes: 0, email_digest: head.digest };
  try {
    for await (const segment of readSegments(message)) storage.bytes += segment.length;
    return storage;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { ...storage, missing: error.message };
  }
};

const linesOf = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(24)}${typeof value === "string" ? value : JSON.stringify(value)}`);

export const showMessage = (shell: Shell) =>
  defineMessageCommand("show-message", "show the fields of messages, and how they are stored")
    .addOption(new Option("--open", "print the address of the message's page on npm start").implies({ local: true }))
    .addHelpText("after", "\nOver HTTP, Get Message returns chosen fields: ?fields=status,delivery_attempts")
    .action((operands, { account, local, open, json }) => {
      const table = openTableOf({ local });
      return forEachMessage(shell, operands, account, async ({ id }) => {
        const message = await findMessage(table, account, id, Date.now(), { withContent: false });
        if (!message) throw noSuchMessage(id);
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
