/**
 * Deletes a message, or its content, before it expires. A response that has already begun may become incomplete. After
 * an interruption, both functions can be called again.
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

/** Other clocks may be slow. DynamoDB purges an item only if it expired less than 5 years ago. */
const tombstoneAgeSeconds = daySeconds;

/**
 * Deletes a message. Returns false if neither a head nor a segment existed. In both cases, the message marker prevents
 * that an event stores the message later.
 *
 * Leaves a tombstone, which is an expired head without fields of the message. A store of the same message that is in
 * progress finds that the head has changed, and starts again.
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
  await putTombstone(); // A store may have begun after the first tombstone and lost its segments.
  return previous?.created_at !== undefined || removed > 0;
};

/**
 * Deletes the content of a message, which then has `content: null`. Storing the same email again does not restore the
 * content. Returns false if the message does not exist.
 */
export const removeContent = async (
  table: Table,
  { account_id, id }: MessageRef,
  now: number,
): Promise<boolean> => {
  const message = await findMessage(table, account_id, id, now);
  if (!message) return false;
  const { head } = message;
  // Long fields are stored with the content, and must remain.
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
