/**
 * Deletes a message, or only its content, before it expires. A response of Get Message that is under way breaks off,
 * because the segments that it still needs are gone. If a call is interrupted, call it again: it deletes the rest.
 */
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { live, nowValue } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { headKey } from "../table/keys.ts";
import { retryWrite, succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import type { Compressed } from "./compression.ts";
import { compressContent } from "./content.ts";
import type { MessageRef } from "./events.ts";
import { findMessage } from "./find.ts";
import type { Head } from "./head.ts";
import { hasLongFields, readLongFields } from "./long-fields.ts";
import { markDeleted, readMarker } from "./marker.ts";
import { deleteSegments, discardSegments, listSegments, writeSegments } from "./segments.ts";
import { tombstonePut } from "./tombstone.ts";

/** `deleted`: the message was here. `gone`: only its marker or its remains were. `unknown`: nothing was, and nothing is written. */
export type Deletion = "deleted" | "gone" | "unknown";

/**
 * Deletes a message, and marks it so that no event of type `message.stored` brings it back. The head becomes a
 * tombstone: an item with an expiry in the past and none of the message's data. A concurrent `storeMessage` then finds
 * its condition false and starts again.
 *
 * A marker never expires, so a mistyped id must not get one: it would block a message that doesn't exist yet.
 *
 * @param options.force marks the id as deleted even if nothing in the table has it
 */
export const deleteMessage = async (
  table: Table,
  message: MessageRef,
  now: number,
  { force = false } = {},
): Promise<Deletion> => {
  /** Returns whether the tombstone has replaced a message. */
  const putTombstone = async (): Promise<boolean> => {
    const put = { ...tombstonePut(table, message, now), ReturnValues: "ALL_OLD" } as const;
    const { Attributes } = await retryWrite(() => table.client.send(new PutCommand(put)));
    return Attributes?.created_at !== undefined;
  };
  const isKnown = async (): Promise<boolean> =>
    (await readMarker(table, message)) !== undefined ||
    (await getItem(table, headKey(message.account_id, message.id), { consistent: true })) !== undefined ||
    (await listSegments(table, message)).length > 0;
  if (!force && !(await isKnown())) return "unknown";
  await markDeleted(table, message, now);
  let wasHere = await putTombstone();
  for (let isAgain = true; isAgain; ) {
    const removed = await deleteSegments(table, message, await listSegments(table, message));
    // A store that has read the first tombstone may have put its head although we took its segments.
    isAgain = await putTombstone();
    wasHere ||= isAgain || removed > 0;
  }
  return wasHere ? "deleted" : "gone";
};

/**
 * Writes new content and points the head to it, then deletes the old segments. Counters and attempts stay as they are,
 * also those that events add meanwhile. Returns false if the message was deleted or its content replaced in between.
 *
 * @param changes other fields of the head that change with the content
 */
export const replaceContent = async (
  table: Table,
  head: Head,
  content: Compressed,
  changes: Partial<Head>,
  now: number,
): Promise<boolean> => {
  const written = await writeSegments(table, head, content, head.content_digest);
  // We list them now, because a call that begins after our update has segments that we must not delete.
  const obsolete = await listSegments(table, head, written);
  const fields = Object.entries({ ...written, ...changes });
  const command = new UpdateCommand({
    TableName: table.name,
    Key: headKey(head.account_id, head.id),
    UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`).join(", ")}`,
    ConditionExpression: `${live} AND content_digest = :existing`,
    ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      ":existing": head.content_digest,
      ...nowValue(now),
    },
  });
  if (!(await succeeds(() => table.client.send(command)))) {
    await discardSegments(table, head, written, head.content_digest, now);
    return false;
  }
  await deleteSegments(table, head, obsolete);
  return true;
};

/**
 * Deletes a message's content and leaves the date in the head, from which `prepare-table` learns that a restored copy
 * has to lose its content, too. Importing the same email again doesn't bring the content back. Returns false if there is
 * no such message.
 */
export const removeContent = async (table: Table, { account_id, id }: MessageRef, now: number): Promise<boolean> => {
  const message = await findMessage(table, account_id, id, now, { withContent: false });
  if (!message) return false;
  // A long subject is stored with the content, and stays.
  const reading = hasLongFields(message.head) ? readLongFields(message) : Promise.resolve(undefined);
  const longFields = await reading.catch(async (error) => {
    // A segment is missing: another call deleted or emptied the message since we read its head, or it is damaged.
    const current = await getItem<Head>(table, headKey(account_id, id), { consistent: true });
    if (current?.content_digest === message.head.content_digest) throw error;
    return "changed" as const;
  });
  if (longFields === "changed") return removeContent(table, { account_id, id }, now);
  const remaining = await compressContent(null, longFields);
  const time = new Date(now).toISOString();
  return replaceContent(table, message.head, remaining, { updated_at: time, content_removed_at: time }, now);
};
