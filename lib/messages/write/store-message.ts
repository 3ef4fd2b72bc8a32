/** Stores a message and its raw email. We write the head last; until then, nobody can see half a message. */
import { createHash } from "node:crypto";
import { PutCommand, type PutCommandInput } from "@aws-sdk/lib-dynamodb";
import { addressDomain } from "../../addresses/address.ts";
import { absent, epochSeconds, isLive } from "../../table/expiry.ts";
import { getItem } from "../../table/get.ts";
import { headKey } from "../../table/keys.ts";
import { succeeds } from "../../table/retry.ts";
import type { Table } from "../../table/table.ts";
import type { Item, Write } from "../../table/writes.ts";
import type { Compressed } from "../content/compression.ts";
import { compressContent } from "../content/render-content.ts";
import { discardSegments, writeSegments } from "../content/write-segments.ts";
import type { ContentFields, Head } from "../head.ts";
import { NewMessage } from "../new-message.ts";
import { RejectedError, validate } from "../rejected-error.ts";

export const maximumRawBytes = 40 * 1024 * 1024;

export const rejectTooLarge = (rawBytes: number): void => {
  if (rawBytes <= maximumRawBytes) return;
  throw new RejectedError(`the email has ${rawBytes} bytes, but at most ${maximumRawBytes} (40 MiB) are stored`);
};

/** A valid message that isn't stored yet. The email is parsed and compressed only when `content` is called. */
type Draft = { head: Omit<Head, keyof ContentFields>; content: () => Promise<Compressed> };

/** @throws RejectedError if the email is too large, or a field is wrong */
export const draftMessage = (message: NewMessage, raw: Uint8Array | null, now: number): Draft => {
  rejectTooLarge(raw?.length ?? 0);
  const fields = validate(NewMessage, message);
  const created_at = new Date(now).toISOString();
  const expires_at = epochSeconds(Date.parse(fields.retain_until));
  const head = {
    ...fields,
    domain: addressDomain(fields.direction === "incoming" ? fields.recipient : fields.sender) ?? "",
    created_at,
    updated_at: created_at,
    retain_until: new Date(expires_at * 1000).toISOString(),
    delivery_attempts: [],
    click_count: 0,
    open_count: 0,
    expires_at,
    digest: raw ? createHash("sha256").update(raw).digest("hex") : "",
  };
  let content: Promise<Compressed> | undefined;
  return {
    head,
    content: () => {
      content ??= compressContent(raw);
      return content;
    },
  };
};

/** Writing the head completes a message. If that fails, call `discard` to delete the message's segments. */
type HeadPut = Write & { put: PutCommandInput; discard: () => Promise<void> };

/**
 * Writes the segments, but not the head, which the caller has to write last. Returns `null` if the message is already
 * stored. If another call has written the head first, call `discard` and start again.
 *
 * @throws RejectedError if a message with another email has the id
 */
export const writeContent = async (table: Table, draft: Draft, now: number): Promise<HeadPut | null> => {
  const { account_id, id, digest } = draft.head;
  const key = headKey(account_id, id);
  const existing = await getItem<Head>(table, key, { consistent: true });
  if (isLive(existing, now)) {
    if (existing?.digest === digest) return null;
    throw new RejectedError(`a message with another email has the id ${id}`);
  }
  const replaced = existing?.content_digest;
  const written = await writeSegments(table, draft.head, await draft.content(), replaced);
  const put = {
    TableName: table.name,
    Item: { ...key, ...draft.head, ...written },
    ConditionExpression: existing ? "content_digest = :replaced" : absent,
    ExpressionAttributeValues: existing && { ":replaced": replaced },
  };
  return {
    key,
    put,
    transactItem: { Put: put },
    fails: (found): found is Item => found?.content_digest !== replaced,
    discard: () => discardSegments(table, draft.head, written, replaced, now),
  };
};

/**
 * Returns false and changes nothing if the message was already stored.
 *
 * @param raw an email of up to 40 MiB, or `null` if the email is not available
 * @throws RejectedError if the email is too large, a field is wrong, or a message with another email has the id
 */
export const storeMessage = async (
  table: Table,
  message: NewMessage,
  raw: Uint8Array | null,
  now: number,
): Promise<boolean> => {
  const draft = draftMessage(message, raw, now);
  for (;;) {
    const head = await writeContent(table, draft, now);
    if (!head) return false;
    if (await succeeds(() => table.client.send(new PutCommand(head.put)))) return true;
    await head.discard();
  }
};
