/** Storing a message: what a sending pipeline calls with its fields and its raw email. */
import { createHash } from "node:crypto";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { absentOrExpired, epochSeconds, isLive, nowValue } from "../table/expiry.ts";
import { headKey, segmentKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { compressToSegments } from "./compression.ts";
import { renderContent } from "./content.ts";
import type { Head } from "./head.ts";
import { NewMessage } from "./message.ts";

const maximumRawBytes = 40 * 1024 * 1024;
const parallelPuts = 8;

/** A message that can't be stored, and why; nothing of it can be read. */
export class MessageRefusedError extends Error {
  override readonly name = "MessageRefusedError";
}

const otherMessage = (id: string) =>
  new MessageRefusedError(`the message id ${id} is taken by a message with other content`);

const newHead = (message: NewMessage, digest: string, segments: number, now: number): Head => {
  const { retain_until, ...fields } = NewMessage.parse(message);
  const expires_at = epochSeconds(Date.parse(retain_until));
  const created_at = new Date(now).toISOString();
  return {
    ...(fields as Omit<Head, "retain_until">),
    created_at,
    updated_at: created_at,
    retain_until: new Date(expires_at * 1000).toISOString(),
    delivery_attempts: [],
    click_count: 0,
    open_count: 0,
    segments,
    digest,
    expires_at,
  };
};

/**
 * Stores a message and its raw email of up to 40 MiB, or `null` where the email is not available. The
 * segments are written first and the head last: from the moment this returns the message is readable,
 * and before that nothing of it is. Safe to repeat: a message that is there already stays as it is.
 *
 * @returns whether the message is new: false when it was there already.
 * @throws MessageRefusedError when the email is larger, or another message has the id. Nothing is written.
 * @throws ZodError when a field is not what {@link NewMessage} asks for. Nothing is written.
 */
export const storeMessage = async (
  table: Table,
  message: NewMessage,
  raw: Uint8Array | null,
  now: number,
): Promise<boolean> => {
  const rawBytes = raw?.length ?? 0;
  if (rawBytes > maximumRawBytes) {
    throw new MessageRefusedError(
      `the email has ${rawBytes} bytes: at most ${maximumRawBytes} (40 MiB) are kept`,
    );
  }
  const digest = raw ? createHash("sha256").update(raw).digest("hex") : "";
  const { account_id, id } = newHead(message, digest, 0, now);
  const found = await table.client.send(
    new GetCommand({ TableName: table.name, Key: headKey(account_id, id), ConsistentRead: true }),
  );
  if (isLive(found.Item, now)) {
    if (found.Item?.digest === digest) return false;
    throw otherMessage(id);
  }

  const segments = raw ? await compressToSegments(renderContent(raw), rawBytes) : [];
  const head = newHead(message, digest, segments.length, now);

  // Whatever is there is ours (from a try that did not finish), has expired, or makes us stop.
  const put = async (Item: Record<string, unknown>): Promise<void> => {
    try {
      await table.client.send(
        new PutCommand({
          TableName: table.name,
          Item,
          ConditionExpression: `${absentOrExpired} OR digest = :digest`,
          ExpressionAttributeValues: { ...nowValue(now), ":digest": digest },
        }),
      );
    } catch (error) {
      throw (error as Error).name === "ConditionalCheckFailedException" ? otherMessage(id) : error;
    }
  };

  for (let from = 0; from < segments.length; from += parallelPuts) {
    await Promise.all(
      segments
        .slice(from, from + parallelPuts)
        .map((bytes, index) =>
          put({ ...segmentKey(account_id, id, from + index), bytes, digest, expires_at: head.expires_at }),
        ),
    );
  }
  await put({ ...headKey(account_id, id), ...head });
  return true;
};
