/** Stores a message and its raw email. */
import { createHash } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { absent, epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { headKey } from "../table/keys.ts";
import { succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import type { Item, Write } from "../table/writes.ts";
import { addressDomain } from "./address.ts";
import { compressToSegments, noContent } from "./compression.ts";
import { renderContent } from "./content.ts";
import type { Head, LongFields } from "./head.ts";
import { NewMessage } from "./message.ts";
import { writeSegments } from "./segments.ts";

export const maximumRawBytes = 40 * 1024 * 1024;

/** Longer fields in the head of a message make every update cost more, and leave less space for delivery attempts. */
const maximumLongFieldsBytes = 50_000;

/** An error for a message that cannot be stored, such as an email over 40 MiB. */
export class MessageRejectedError extends Error {
  override readonly name = "MessageRejectedError";
}

/** @throws MessageRejectedError that names every wrong field */
const validate = (message: NewMessage) => {
  const result = NewMessage.safeParse(message);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  throw new MessageRejectedError(faults.join("; "));
};

/** Separates short fields, which are stored in the message's head, from long fields, which are stored with the content. */
const divide = (message: NewMessage, now: number) => {
  const { retain_until, message_id, subject, tags, sender, recipient, ...fields } = validate(message);
  const long: LongFields = { message_id, subject, tags, sender, recipient };
  const areLong = Buffer.byteLength(JSON.stringify(long)) > maximumLongFieldsBytes;
  const created_at = new Date(now).toISOString();
  const expires_at = epochSeconds(Date.parse(retain_until));
  const head = {
    ...fields,
    ...(areLong ? {} : long),
    domain: addressDomain(fields.direction === "incoming" ? recipient : sender) ?? "",
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

export const rejectTooLarge = (rawBytes: number): void => {
  if (rawBytes <= maximumRawBytes) return;
  throw new MessageRejectedError(
    `the email has ${rawBytes} bytes, but at most ${maximumRawBytes} (40 MiB) are stored`,
  );
};

/** Puts the head of a message. Returns false if the put's condition failed. `storeMessage` then retries the put. */
export type PutHead = (head: Write) => Promise<boolean>;

/**
 * Stores a message. Writes the message's segments before the message's head, so that no reader sees an incomplete
 * message. A message that is already stored remains unchanged.
 *
 * A conditional put writes the head. So only one of several concurrent calls with the same id stores its message.
 * Different segments never have the same key, because each key contains a digest. Unused segments expire at retain_until.
 *
 * @param raw an email of up to 40 MiB, or `null` if the email is not available
 * @param putHead puts the head of the message together with other items. By default, the head is put alone
 * @returns false if the message was already stored
 * @throws MessageRejectedError if the email is too large, a field is wrong, or a message with another email has the id
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

  /** Returns an expired message with the same id, if one exists. Returns `null` if this message is already stored. */
  const findReplaceable = async (): Promise<{ existing: Head | undefined } | null> => {
    const existing = await getItem<Head>(table, headKey(account_id, id), { consistent: true });
    if (!isLive(existing, now)) return { existing };
    if (existing?.digest === digest) return null;
    throw new MessageRejectedError(`a message with another email has the id ${id}`);
  };
  let replaceable = await findReplaceable();
  if (!replaceable) return false;

  const content =
    raw || longFields ? await compressToSegments(renderContent(raw, longFields), rawBytes) : noContent;

  // Another call may delete the segments before the message's head is put. The loop then writes the segments again.
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
