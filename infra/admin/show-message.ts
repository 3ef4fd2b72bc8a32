/** `show-message`: what is known of messages, and how their content is stored. */
import { Option } from "@commander-js/extra-typings";
import { findMessage, type StoredMessage } from "../../lib/messages/find.ts";
import { headFields } from "../../lib/messages/head.ts";
import { readLongFields } from "../../lib/messages/long-fields.ts";
import { defineCommand, forEach, openTableOf, readOperands, report, type Shell, uuid } from "./command.ts";
import { idArgument, messageNamed, noSuchMessage } from "./message.ts";

/** Reads all of it, so that a segment that is missing is noticed. */
const storageOf = async ({ head, segments }: StoredMessage) => {
  let bytes = 0;
  for await (const segment of segments()) bytes += segment.length;
  return { segments: head.segments, bytes, sha256_of_email: head.digest };
};

const linesOf = (fields: object): string[] =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(24)}${typeof value === "string" ? value : JSON.stringify(value)}`);

export const showMessage = (shell: Shell) =>
  defineCommand("show-message", "show what is known of messages, and how they are stored")
    .argument("<id...>", idArgument)
    .requiredOption("--account <uuid>", "the account", uuid)
    .addOption(
      new Option("--open", "print the address of the message's page on npm start").implies({ local: true }),
    )
    .action(async (operands, { account, local, open, json }) => {
      const table = openTableOf({ local });
      await forEach(shell, await readOperands(operands, shell), async (name) => {
        const named = messageNamed(account, name);
        const message = await findMessage(table, account, named.id, Date.now());
        if (!message) throw noSuchMessage(named);
        if (open) {
          const url = `http://127.0.0.1:${process.env.PORT ?? 3000}/messages#${account}/${named.id}`;
          return report(shell, json, { id: named.id, url }, url);
        }
        const fields = {
          ...headFields(message.head),
          ...(await readLongFields(message)),
          stored_content: await storageOf(message),
        };
        report(shell, json, fields, ...linesOf(fields), "");
      });
    });
