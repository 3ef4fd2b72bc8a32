/** Stores the emails of files as messages, with what their headers say of them. */
import { createHash } from "node:crypto";
import { readEnvelope } from "../../lib/messages/envelope.ts";
import type { NewMessage } from "../../lib/messages/message.ts";
import { MessageRejectedError, rejectTooLarge, storeMessage } from "../../lib/messages/store-message.ts";
import { isThrottled, retry } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { describe } from "../user-error.ts";
import type { MailFile } from "./find-mail.ts";
import { inParallel } from "./in-parallel.ts";
import { readEmails } from "./read-emails.ts";

/** What is said of all messages; `sender` and `recipient` are for an email that names none. */
export type ImportFields = Omit<NewMessage, "id" | "message_id" | "subject" | "sender" | "recipient"> & {
  sender?: string | undefined;
  recipient?: string | undefined;
};

/** What became of one email. `source` is its file; in an mbox, with the email's number. */
export type Imported = { source: string; bytes: number } & (
  | { id: string; message_id: string; isNew: boolean }
  | { error: Error }
);

type Found = { source: string; bytes: number } & ({ raw: Buffer } | { error: Error });

/**
 * An id that follows from account and email (a UUID of version 8, RFC 9562): an email that is imported twice is
 * one message, so an import that broke off is taken up by running it again.
 */
const idOf = (account_id: string, raw: Buffer): string => {
  const hash = createHash("sha256").update(account_id.toLowerCase()).update(raw).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString("hex", 0, 16).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

/** @throws MessageRejectedError when neither the email nor `fields` names the sender and the recipient */
const messageOf = (raw: Buffer, fields: ImportFields): NewMessage => {
  const { date, ...envelope } = readEnvelope(raw);
  const sender = envelope.sender || fields.sender;
  const recipient = envelope.recipient || fields.recipient;
  if (!sender) throw new MessageRejectedError("its headers name no sender: --sender gives one");
  if (!recipient) throw new MessageRejectedError("its headers name no recipient: --recipient gives one");
  const id = idOf(fields.account_id, raw);
  return { sent_at: date, ...fields, ...envelope, sender, recipient, id };
};

async function* emailsIn(files: MailFile[]): AsyncGenerator<Found> {
  for (const { path, open } of files) {
    try {
      let number = 0;
      for await (const { raw, bytes, isOfMbox } of readEmails(open())) {
        yield { source: isOfMbox ? `${path}:${++number}` : path, bytes, raw };
      }
    } catch (error) {
      yield { source: path, bytes: 0, error: error as Error };
    }
  }
}

/**
 * Stores every email of the files, many at a time, and tells `hear` of each. An email that can't be stored is
 * told of, and the others are stored all the same; so is one that is there already.
 *
 * @throws Error when the table fails: what has been stored stays, and the same import can be run again.
 *
 * @example
 * await importMail(table, await findMail(["mail/"]), { account_id, domain_id, ... }, Date.now(), console.log);
 */
export const importMail = (
  table: Table,
  files: MailFile[],
  fields: ImportFields,
  now: number,
  hear: (imported: Imported) => void,
): Promise<void> => {
  const store = async (raw: Buffer) => {
    const message = messageOf(raw, fields);
    const isNew = await retry(() => storeMessage(table, message, raw, now), {
      isRetryable: isThrottled,
      timeoutMs: Number.POSITIVE_INFINITY,
    });
    return { id: message.id, message_id: message.message_id, isNew };
  };
  const importOne = async ({ source, bytes, ...found }: Found): Promise<void> => {
    try {
      if ("error" in found) throw new MessageRejectedError(describe(found.error));
      rejectTooLarge(bytes);
      hear({ source, bytes, ...(await store(found.raw)) });
    } catch (error) {
      if (!(error instanceof MessageRejectedError)) throw error;
      hear({ source, bytes, error });
    }
  };
  return inParallel(emailsIn(files), ({ bytes }) => bytes, importOne);
};
