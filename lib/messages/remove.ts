/**
 * Removes a message, or its content, before its time. Whoever reads it meanwhile finds it whole or not at all,
 * unless they have begun to read: then their response breaks off. Safe to repeat, after an interruption too.
 */
import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { daySeconds } from "../duration.ts";
import { succeeds } from "../table/conditional.ts";
import { epochSeconds, live, nowValue } from "../table/expiry.ts";
import { headKey } from "../table/keys.ts";
import { retryWrite } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { compressToSegments, noContent } from "./compression.ts";
import { renderContent } from "./content.ts";
import type { MessageRef } from "./events.ts";
import { findMessage } from "./find.ts";
import { hasLongFields, readLongFields } from "./long-fields.ts";
import { markDeleted } from "./marker.ts";
import { removeSegments, writeSegments } from "./segments.ts";

/** Long ago for any clock that is not quite right, and not too long for DynamoDB to purge it (5 years). */
const tombstoneAgeSeconds = daySeconds;

/**
 * Removes all of a message. Returns false when nothing of it was there. Either way, the message marker keeps an event
 * from storing the message later.
 *
 * In its place stands, until DynamoDB purges it, an expired head without anything of a message: one that is stored
 * meanwhile under the id, whose segments go here, finds another head than the one that it began with, and begins anew.
 */
export const deleteMessage = async (
  table: Table,
  { account_id, id }: MessageRef,
  now: number,
): Promise<boolean> => {
  const putTombstone = async (): Promise<Record<string, unknown> | undefined> => {
    const tombstone = { content_digest: randomUUID(), expires_at: epochSeconds(now) - tombstoneAgeSeconds };
    const { Attributes } = await retryWrite(() =>
      table.client.send(
        new PutCommand({
          TableName: table.name,
          Item: { ...headKey(account_id, id), ...tombstone },
          ReturnValues: "ALL_OLD",
        }),
      ),
    );
    return Attributes;
  };
  await markDeleted(table, { account_id, id }, now);
  const previous = await putTombstone();
  const removed = await removeSegments(table, { account_id, id });
  await putTombstone(); // of a message that began after the first one, segments may be gone
  return previous?.created_at !== undefined || removed > 0;
};

/**
 * Removes the email and what was read from it, and leaves the message with `content: null`. The same email does
 * not come back when it is stored again under this id. Returns false when there is no such message.
 */
export const removeContent = async (
  table: Table,
  { account_id, id }: MessageRef,
  now: number,
): Promise<boolean> => {
  const message = await findMessage(table, account_id, id, now);
  if (!message) return false;
  const { head } = message;
  // A subject that is too long for the head stands with the content, and stays.
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
