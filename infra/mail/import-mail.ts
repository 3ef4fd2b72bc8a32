/** Imports email files as messages. */
import { createHash } from "node:crypto";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { senderOfBounces } from "../../lib/addresses/mailbox.ts";
import { normalAddress } from "../../lib/addresses/person.ts";
import { hasNullSender, isDeliveryReport, readEnvelope, readHeader, readRecipients } from "../../lib/email/envelope.ts";
import { externalIdOfSes } from "../../lib/events/ses/message-of-mail.ts";
import { deleteListed, listSegments } from "../../lib/messages/content/write-segments.ts";
import { idOfExternal, uuidOf } from "../../lib/messages/external-id.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import type { NewMessage } from "../../lib/messages/new-message.ts";
import { RejectedError } from "../../lib/messages/rejected-error.ts";
import { deleteMessage } from "../../lib/messages/remove/delete-message.ts";
import { commitMessage } from "../../lib/messages/write/commit-message.ts";
import { type Draft, draftMessage, rejectTooLarge } from "../../lib/messages/write/draft-message.ts";
import { markerKey } from "../../lib/table/keys.ts";
import { retryWrite } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { describe } from "../cli/user-error.ts";
import type { MailFile } from "./find-mail.ts";
import { inParallel } from "./in-parallel.ts";
import { readEmails } from "./read-emails.ts";
import { NoEmailError } from "./recognise-file.ts";

/**
 * Fields that all messages of an import have in common. `sender` and `recipient` are used for emails that don't name
 * any.
 */
export type ImportFields = Omit<NewMessage, "id" | "message_id" | "subject" | "sender" | "recipient"> & {
  sender?: string | undefined;
  recipient?: string | undefined;
};

/** `deleted`: an operator has deleted the message or blocked its id, so the email isn't stored. */
export type ImportOutcome = "stored" | "content added" | "there already" | "deleted";

/**
 * `unindexed` counts the further recipients by whose addresses the message isn't found. `doubt` says why nobody can tell
 * where the email starts or ends.
 */
type Committed = {
  id: string;
  message_id: string;
  outcome: ImportOutcome;
  unindexed: number;
  doubt?: string | undefined;
};

/** `source` is a path, or `inbox.mbox:3` for the third email of an mbox. A `skipped` file of a folder is no email. */
export type Imported = { source: string; bytes: number } & (Committed | { error: Error } | { skipped: string });

type Found = { source: string; bytes: number } & (
  | { raw: Buffer; doubt?: string | undefined }
  | { error: unknown }
  | { skipped: string }
);

/** Derives an id from the account and the email, so that importing an email twice stores one message. */
const idOf = (account_id: string, raw: Buffer): string =>
  uuidOf(8, createHash("sha256").update(account_id).update(raw).digest());

/** How the sender of an email names its message: see `message.external_id`. */
export type ReadExternalId = (raw: Buffer, message: Pick<NewMessage, "recipient">) => string;

export const externalIdInHeader =
  (name: string): ReadExternalId =>
  (raw) => {
    const id = readHeader(raw, name);
    if (/^.{1,255}$/su.test(id)) return id;
    throw new RejectedError(`its header ${name} must have 1 to 255 characters`);
  };

/** SES writes a Message-ID of its own. */
export const externalIdFromSes: ReadExternalId = (raw, { recipient }) => {
  const [, id] = /^<([^<>@]+)@[\w.-]+\.amazonses\.com>$/.exec(readHeader(raw, "message-id")) ?? [];
  if (id) return externalIdOfSes(id, recipient);
  throw new RejectedError("its Message-ID is not from Amazon SES");
};

/** More than a transaction should have; a list of so many addresses is a mailing list's. */
export const mostOtherRecipients = 50;

/** The addresses in To and Cc, besides the message's own two, by which an erasure or a search finds the message, too. */
const othersIn = (recipients: readonly string[], { sender, recipient }: Pick<NewMessage, "sender" | "recipient">) => {
  const known = new Set([sender, recipient].map(normalAddress));
  const others = new Map(recipients.map((address) => [normalAddress(address), address]));
  return [...others].flatMap(([normal, address]) => (known.has(normal) ? [] : address));
};

/** @throws RejectedError if neither the email nor `fields` names a sender and a recipient */
const messageOf = (raw: Buffer, fields: ImportFields) => {
  const { date, ...envelope } = readEnvelope(raw);
  const recipient = envelope.recipient || fields.recipient;
  const sender = envelope.sender || fields.sender || (recipient && hasNullSender(raw) && senderOfBounces(recipient));
  if (!sender) throw new RejectedError("its headers have no sender. Pass --sender");
  if (!recipient) throw new RejectedError("its headers have no recipient. Pass --recipient");
  const is_bounce_notification = isDeliveryReport(raw);
  const message = { sent_at: date, is_bounce_notification, ...fields, ...envelope, sender, recipient };
  return { message, others: othersIn(readRecipients(raw), message) };
};

async function* emailsIn(files: MailFile[]): AsyncGenerator<Found> {
  for (const { path, bytes: size, isListed, open } of files) {
    try {
      let number = 0;
      for await (const { isOfMbox, ...email } of readEmails(open(), path, isListed)) {
        yield { source: isOfMbox ? `${path}:${++number}` : path, ...email };
      }
    } catch (error) {
      const isSkipped = isListed && error instanceof NoEmailError;
      yield isSkipped ? { source: path, bytes: size, skipped: error.message } : { source: path, bytes: 0, error };
    }
  }
}

type Options = {
  /** If true, an email is stored even if its message was deleted; by default, it's skipped. */
  restoreDeleted?: boolean | undefined;
  /** By default, the id of a message is derived from the account and the email. */
  externalId?: ReadExternalId | undefined;
};

/**
 * Without the deletion marker, the message can be stored again, and `prepare-table` keeps it after a restore. The deletion
 * may have been interrupted, so we complete it first: its delivery attempts are not the new message's.
 */
const forgetDeletion = async (table: Table, message: MessageRef, now: number): Promise<void> => {
  await deleteMessage(table, message, now);
  const Key = markerKey(message.account_id, message.id);
  await retryWrite(() => table.client.send(new DeleteCommand({ TableName: table.name, Key })), table.deadline);
};

/** An import that was interrupted with another retention time has left segments with another digest. */
const deleteLeftovers = async (table: Table, { account_id, id, expires_at }: Draft["head"]): Promise<void> => {
  const listed = await listSegments(table, { account_id, id });
  // A content that somebody has just restored expires with the message.
  const left = listed.filter((segment) => segment.expires_at !== expires_at);
  await deleteListed(table, { account_id, id }, left);
};

const store = async (table: Table, draft: Draft, { restoreDeleted }: Options, now: number): Promise<ImportOutcome> => {
  const { outcome } = await commitMessage(table, draft, now);
  if (outcome === "deleted" && restoreDeleted) {
    await forgetDeletion(table, draft.head, now);
    return store(table, draft, {}, now);
  }
  if (outcome === "stored") await deleteLeftovers(table, draft.head);
  return outcome === undefined || outcome === "expired" ? "there already" : outcome;
};

/**
 * Imports the emails of all files, several at a time. A message that is stored already stays as it is. If the table is
 * throttled, the import waits instead of failing.
 *
 * @param report receives the result of each email. A rejected email doesn't stop the import
 * @throws Error if the table fails. The import can be run again
 */
export const importMail = (
  table: Table,
  files: MailFile[],
  fields: ImportFields,
  now: number,
  report: (imported: Imported) => void,
  options: Options = {},
): Promise<void> => {
  const patient: Table = { ...table, canWait: true, deadline: Number.POSITIVE_INFINITY };
  const account_id = fields.account_id.toLowerCase();
  const importOne = async (found: Found): Promise<void> => {
    const { source, bytes } = found;
    if ("skipped" in found) return report(found);
    try {
      if ("error" in found) throw new RejectedError(describe(found.error));
      rejectTooLarge(bytes);
      const { raw, doubt } = found;
      const { message, others } = messageOf(raw, fields);
      const id = options.externalId
        ? idOfExternal(account_id, options.externalId(raw, message))
        : idOf(account_id, raw);
      const draft = { ...draftMessage({ ...message, id }, raw, now), others: others.slice(0, mostOtherRecipients) };
      const outcome = await store(patient, draft, options, now);
      const unindexed = others.length - draft.others.length;
      report({ source, bytes, id, message_id: message.message_id, outcome, unindexed, doubt });
    } catch (error) {
      if (!(error instanceof RejectedError)) throw error;
      report({ source, bytes, error });
    }
  };
  return inParallel(emailsIn(files), ({ bytes }) => bytes, importOne);
};
