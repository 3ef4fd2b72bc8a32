/** `show-message`: what is known of messages, and how their content is stored. */
import { findMessage, type StoredMessage } from "../../lib/messages/find.ts";
import { headFields } from "../../lib/messages/head.ts";
import { readTexts } from "../../lib/messages/long-fields.ts";
import { defineCommand, forEach, openTableOf, readOperands, report, type Shell, uuid } from "./command.ts";
import { idArgument, messageNamed, noSuchMessage } from "./message.ts";

/** Reads all of it, so that a segment that is missing is noticed. */
const storageOf = async ({ head, segments }: StoredMessage) => {
  let bytes = 0;
  for await (const segment of segments()) bytes += segment.length;
  return { segments: head.segments, bytes, sha256_of_email: head.digest };
};

const inWords = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(24)}${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");

export const showMessage = (shell: Shell) =>
  defineCommand("show-message", "show what is known of messages, and how they are stored")
    .argument("<id...>", idArgument)
    .requiredOption("--account <uuid>", "the account", uuid)
    .action(async (operands, { account, local, json }) => {
      const table = openTableOf({ local });
      await forEach(shell, await readOperands(operands, shell), async (name) => {
        const named = messageNamed(account, name);
        const message = await findMessage(table, account, named.id, Date.now());
        if (!message) throw noSuchMessage(named);
        const fields = {
          ...headFields(message.head),
          ...(await readTexts(message)),
          stored_content: await storageOf(message),
        };
        report(shell, json, fields, `${inWords(fields)}\n`);
      });
    });
