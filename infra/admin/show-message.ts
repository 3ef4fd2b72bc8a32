/** `show-message`: shows the fields of messages, and how their content is stored. */
import { Option } from "@commander-js/extra-typings";
import { findMessage, type StoredMessage } from "../../lib/messages/find.ts";
import { headFields } from "../../lib/messages/head.ts";
import { readLongFields } from "../../lib/messages/long-fields.ts";
import { openTableOf, report, type Shell } from "./command.ts";
import { defineMessageCommand, forEachMessage } from "./message.ts";

/** Returns the content's segment count, size and digest. Reads all segments, so that a missing segment is an error. */
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
