/** Reads emails from files, and stores each email as a message. */
import { createHash } from "node:crypto";
import { readEnvelope } from "../../lib/messages/envelope.ts";
import type { NewMessage } from "../../lib/messages/message.ts";
import { MessageRejectedError, rejectTooLarge, storeMessage } from "../../lib/messages/store-message.ts";
import { isThrottled, retry } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { describe } from "../cli/user-error.ts";
import type { MailFile } from "./find-mail.ts";
import { inParallel } from "./in-parallel.ts";
import { readEmails } from "./read-emails.ts";

/** Fields of all imported messages. An address in the header of an email overrides `sender` or `recipient`. */
export type ImportFields = Omit<NewMessage, "id" | "message_id" | "subject" | "sender" | "recipient"> & {
  sender?: string | undefined;
  recipient?: string | undefined;
};

/** The result of importing one email. `source` is a path, or `inbox.mbox:3` for the third email of an mbox. */
export type Imported = { source: string; bytes: number } & (
  | { id: string; message_id: string; isNew: boolean }
  | { error: Error }
);

type Found = { source: string; bytes: number } & ({ raw: Buffer } | { error: unknown });

/** Derives a UUID (version 8) from account and email, so that importing an email twice stores one message. */
const idOf = (account_id: string, raw: Buffer): string => {
  const digest = createHash("sha256").update(account_id.toLowerCase()).update(raw).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString("hex", 0, 16).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

/** @throws MessageRejectedError if the sender or the recipient is in neither the email nor `fields` */
const messageOf = (raw: Buffer, fields: ImportFields): NewMessage => {
  const { date, ...envelope } = readEnvelope(raw);
  const sender = envelope.sender || fields.sender;
  const recipient = envelope.recipient || fields.recipient;
  if (!sender) throw new MessageRejectedError("its headers have no sender. Pass --sender");
  if (!recipient) throw new MessageRejectedError("its headers have no recipient. Pass --recipient");
  return { sent_at: date, ...fields, ...envelope, sender, recipient, id: idOf(fields.account_id, raw) };
};

async function* emailsIn(files: MailFile[]): AsyncGenerator<Found> {
  for (const { path, open } of files) {
    try {
      let number = 0;
      for await (const { raw, bytes, isOfMbox } of readEmails(open())) {
        yield { source: isOfMbox ? `${path}:${++number}` : path, bytes, raw };
      }
    } catch (error) {
      yield { source: path, bytes: 0, error };
    }
  }
}

/**
 * Stores the emails of the files, several emails at a time. A message that already exists remains unchanged.
 *
 * @param report receives the result of each email. A rejected email does not stop the import
 * @throws Error if the table fails. The import can be run again
 */
export const importMail = (
  table: Table,
  files: MailFile[],
  fields: ImportFields,
  now: number,
  report: (imported: Imported) => void,
): Promise<void> => {
  const importOne = async ({ source, bytes, ...found }: Found): Promise<void> => {
    try {
      if ("error" in found) throw new MessageRejectedError(describe(found.error));
      rejectTooLarge(bytes);
      const { raw } = found;
      const message = messageOf(raw, fields);
      const isNew = await retry(() => storeMessage(table, message, raw, now), {
        isRetryable: isThrottled,
        deadline: Number.POSITIVE_INFINITY,
      });
      report({ source, bytes, id: message.id, message_id: message.message_id, isNew });
    } catch (error) {
      if (!(error instanceof MessageRejectedError)) throw error;
      report({ source, bytes, error });
    }
  };
  return inParallel(emailsIn(files), ({ bytes }) => bytes, importOne);
};
