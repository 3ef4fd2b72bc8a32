/** If segments of a message are lost, `restore-content` writes all of its content again, from the original email. */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { compressContent } from "../../lib/messages/content/render-content.ts";
import { findMessage } from "../../lib/messages/read/find-message.ts";
import { maximumRawBytes } from "../../lib/messages/write/draft-message.ts";
import { replaceContent } from "../../lib/messages/write/replace-content.ts";
import { describe, UserError } from "../cli/user-error.ts";
import { findMail } from "../mail/find-mail.ts";
import { readEmails } from "../mail/read-emails.ts";
import { NoEmailError } from "../mail/recognise-file.ts";
import { clockOf } from "./clock.ts";
import { defineCommand, openTableOf, report, type Shell, uuid } from "./command.ts";
import { messageId, noSuchMessage } from "./message-command.ts";

/** Finds the email with the given digest in files and mboxes. */
const emailWith = async (digest: string, path: string, { input }: Shell): Promise<Buffer> => {
  const isIt = (raw: Buffer): boolean => createHash("sha256").update(raw).digest("hex") === digest;
  for (const file of await findMail([path], input)) {
    try {
      const whole = file.bytes <= maximumRawBytes ? await buffer(file.open()) : null;
      if (whole && isIt(whole)) return whole;
      for await (const { raw } of readEmails(whole ? Readable.from([whole]) : file.open())) if (isIt(raw)) return raw;
    } catch (error) {
      if (!(error instanceof NoEmailError)) throw new UserError(`${file.path}: ${describe(error)}`);
    }
  }
  throw new UserError(`${path}: no email in it has the digest ${digest} of the message's email`);
};

const explanation = `
The message keeps its id, its delivery attempts and its counters. FILE is the email, to the byte, or an mbox with it.
"show-message" prints the digest of the email.`;

export const restoreContent = (shell: Shell) =>
  defineCommand("restore-content", "write the content of a damaged message again")
    .argument("<id>", "the message's id")
    .argument("<file>", "the message's email, or an mbox with it; - is standard input")
    .requiredOption("--account <uuid>", "the account", uuid)
    .addHelpText("after", explanation)
    .action(async (name, path, { account, local, json }) => {
      const table = openTableOf({ local });
      const id = messageId(name);
      const now = (await clockOf(shell, table))();
      const message = await findMessage(table, account, id, now, { withContent: false });
      if (!message) throw noSuchMessage(id);
      const { head } = message;
      if (head.content_removed_at) {
        throw new UserError(`${id}: not damaged. remove-content removed its email on ${head.content_removed_at}`);
      }
      if (head.digest === "") throw new UserError(`${id}: the message was stored without an email`);
      const raw = await emailWith(head.digest, path, shell);
      if (!(await replaceContent(table, head, await compressContent(raw), {}, now))) {
        throw new UserError(`${id}: the message was changed meanwhile. Run the command again`);
      }
      report(shell, json, { id, content_restored: true }, `content restored   ${id}`);
    });
