/**
 * Deletes a message, or its content, before the message expires. If Get Message reads the message during the deletion,
 * its response may end early, because segments are missing. After an interrupted call, the caller must repeat the call.
 */
import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { epochSeconds, live, nowValue } from "../table/expiry.ts";
import { headKey } from "../table/keys.ts";
import { retryWrite, succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { daySeconds } from "../time.ts";
import { compressToSegments, noContent } from "./compression.ts";
import { renderContent } from "./content.ts";
import type { MessageRef } from "./events.ts";
import { findMessage } from "./find.ts";
import { hasLongFields, readLongFields } from "./long-fields.ts";
import { markDeleted } from "./marker.ts";
import { removeSegments, writeSegments } from "./segments.ts";

/** An expiry of one day ago is in the past even for a slow clock. TTL ignores items that expired over 5 years ago. */
const tombstoneAgeSeconds = daySeconds;

/**
 * Deletes a message. Returns false if neither a head nor a segment of the message existed. Marks the message as
 * deleted, so that no later event of type `message.stored` stores the message. Replaces the message's head with a
 * tombstone. A tombstone has an expiry in the past, and none of the message's data. The tombstone makes the condition of
 * a concurrent `storeMessage` fail, so that `storeMessage` retries.
 */
export const deleteMessage = async (
  table: Table,
  { account_id, id }: MessageRef,
  now: number,
): Promise<boolean> => {
  const putTombstone = async (): Promise<Record<string, unknown> | undefined> => {
    const tombstone = { content_digest: randomUUID(), expires_at: epochSeconds(now) - tombstoneAgeSeconds };
    const command = new PutCommand({
      TableName: table.name,
      Item: { ...headKey(account_id, id), ...tombstone },
      ReturnValues: "ALL_OLD",
    });
    const { Attributes } = await retryWrite(() => table.client.send(command));
    return Attributes;
  };
  await markDeleted(table, { account_id, id }, now);
  const previous = await putTombstone();
  const removed = await removeSegments(table, { account_id, id });
  await putTombstone(); // Makes a concurrent `storeMessage` write its deleted segments again.
  return previous?.created_at !== undefined || removed > 0;
};

/** Deletes a message's content. A second import does not restore the content. Returns false if no message exists. */
export const removeContent = async (
  table: Table,
  { account_id, id }: MessageRef,
  now: number,
): Promise<boolean> => {
  const message = await findMessage(table, account_id, id, now);
  if (!message) return false;
  const { head } = message;
  // The old segments of the message contain content and long fields. The new segments contain only the long fields.
  const remaining = hasLongFields(message.head)
    ? await compressToSegments(renderContent(null, await readLongFields(message)), 0)
    : noContent;
  const written = await writeSegments(table, head, remaining);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: headKey(account_id, id),
    UpdateExpression:
      "SET #segments = :segments, content_bytes = :bytes, content_parsed_start = :start, content_digest = :digest, updated_at = :updated_at",
    ConditionExpression: `${live} AND content_digest = :existing`,
    ExpressionAttributeNames: { "#segments": "segments" },
    ExpressionAttributeValues: {
      ":segments": written.segments,
      ":bytes": written.content_bytes,
      ":start": written.content_parsed_start,
      ":digest": written.content_digest,
      ":updated_at": new Date(now).toISOString(),
      ":existing": head.content_digest,
      ...nowValue(now),
    },
  });
  if (!(await succeeds(() => table.client.send(command)))) return false;
  await removeSegments(table, { account_id, id }, written);
  return true;
};
