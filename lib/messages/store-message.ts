/** Storing a message: what a sending pipeline calls with its fields and its raw email. */
import { createHash } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { succeeds } from "../table/conditional.ts";
import { absent, epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { headKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import type { Item, Write } from "../table/writes.ts";
import { parseAddress } from "./address.ts";
import { compressToSegments, noContent } from "./compression.ts";
import { renderContent } from "./content.ts";
import type { Head, LongFields } from "./head.ts";
import { NewMessage } from "./message.ts";
import { writeSegments } from "./segments.ts";

export const maximumRawBytes = 40 * 1024 * 1024;

/** An item holds 400 KB: the rest of the head's is for its delivery attempts. Each change costs the whole item. */
const maximumLongFieldsBytes = 50_000;

/** A message that can't be stored, and why; nothing of it can be read. */
export class MessageRejectedError extends Error {
  override readonly name = "MessageRejectedError";
}

/** @throws MessageRejectedError that names every field which is not what {@link NewMessage} asks for */
const validate = (message: NewMessage) => {
  const result = NewMessage.safeParse(message);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  throw new MessageRejectedError(faults.join("; "));
};

/** The fields that the head begins with, and those that are too long for it. */
const divide = (message: NewMessage, now: number) => {
  const { retain_until, message_id, subject, tags, sender, recipient, ...fields } = validate(message);
  const long: LongFields = { message_id, subject, tags, sender, recipient };
  const areLong = Buffer.byteLength(JSON.stringify(long)) > maximumLongFieldsBytes;
  const created_at = new Date(now).toISOString();
  const expires_at = epochSeconds(Date.parse(retain_until));
  const head = {
    ...fields,
    ...(areLong ? {} : long),
    domain: parseAddress(fields.direction === "incoming" ? recipient : sender)?.domain ?? "",
    created_at,
    updated_at: created_at,
    retain_until: new Date(expires_at * 1000).toISOString(),
    delivery_attempts: [],
    click_count: 0,
    open_count: 0,
    expires_at,
  };
  return { head, longFields: areLong ? long : undefined };
};

/** @throws MessageRejectedError for an email that is larger than what is kept */
export const rejectTooLarge = (rawBytes: number): void => {
  if (rawBytes <= maximumRawBytes) return;
  throw new MessageRejectedError(
    `the email has ${rawBytes} bytes: at most ${maximumRawBytes} (40 MiB) are kept`,
  );
};

/** Puts the head. Returns false if its condition failed, and then storeMessage reads the head and puts it again. */
export type PutHead = (head: Write) => Promise<boolean>;

/**
 * Stores a message and its raw email of up to 40 MiB, or `null` where the email is not available. The
 * segments are written first and the head last: from the moment this returns the message is readable,
 * and before that nothing of it is. Safe to repeat: a message that is there already stays as it is.
 *
 * Of several that are stored at once under one id, the one whose head is written first is the message. What
 * the others have written, or a try that broke off, is under keys of its own: it is in nobody's way, and
 * expires at its retain_until.
 *
 * @param putHead puts the head together with other items; by default, the head is put alone
 * @returns whether the message is new: false when it was there already.
 * @throws MessageRejectedError when the email is larger, a field is not what {@link NewMessage} asks for, or a
 * message with another email has the id. Nothing can be read of what was refused.
 */
export const storeMessage = async (
  table: Table,
  message: NewMessage,
  raw: Uint8Array | null,
  now: number,
  putHead?: PutHead,
): Promise<boolean> => {
  const rawBytes = raw?.length ?? 0;
  rejectTooLarge(rawBytes);
  const digest = raw ? createHash("sha256").update(raw).digest("hex") : "";
  const { head, longFields } = divide(message, now);
  const { account_id, id } = head;

  /** What is there under the id: nothing, or what has expired. @returns null when the message is there already. */
  const findReplaceable = async (): Promise<{ existing: Head | undefined } | null> => {
    const existing = await getItem<Head>(table, headKey(account_id, id), { consistent: true });
    if (!isLive(existing, now)) return { existing };
    if (existing?.digest === digest) return null;
    throw new MessageRejectedError(`the message id ${id} is taken by a message with other content`);
  };
  let replaceable = await findReplaceable();
  if (!replaceable) return false;

  const content =
    raw || longFields ? await compressToSegments(renderContent(raw, longFields), rawBytes) : noContent;

  // The head must still be what was found before the segments were written: who has taken it since may have removed
  // them, and then all is written once more.
  while (replaceable) {
    const { existing } = replaceable;
    const written = await writeSegments(table, head, content);
    const item: Head = { ...head, ...written, digest };
    const key = headKey(account_id, id);
    const put = {
      TableName: table.name,
      Item: { ...key, ...item },
      ...(existing
        ? {
            ConditionExpression: "content_digest = :existing",
            ExpressionAttributeValues: { ":existing": existing.content_digest },
          }
        : { ConditionExpression: absent }),
    };
    const write: Write = {
      key,
      transactItem: { Put: put },
      fails: (item): item is Item => item?.content_digest !== existing?.content_digest,
    };
    const isDone = putHead
      ? await putHead(write)
      : await succeeds(() => table.client.send(new PutCommand(put)));
    if (isDone) return true;
    replaceable = await findReplaceable();
  }
  return false;
};
