/** Deletes messages, or only their content, before they expire. If `deleteMessage` was interrupted, call it again. */
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { live, nowValue } from "../../table/expiry.ts";
import { getItem } from "../../table/get.ts";
import { headKey } from "../../table/keys.ts";
import { retryWrite, succeeds } from "../../table/retry.ts";
import type { Table } from "../../table/table.ts";
import { type Compressed, noContent } from "../content/compression.ts";
import {
  deleteSegments,
  discardSegments,
  listSegments,
  tombstonePut,
  writeSegments,
} from "../content/write-segments.ts";
import type { Head } from "../head.ts";
import { markDeleted, readMarker } from "../marker.ts";
import type { MessageRef } from "../message-ref.ts";
import { findMessage } from "../read/find-message.ts";

/** `gone` means that the message had already expired or been deleted. */
export type Deletion = "deleted" | "gone" | "unknown";

/**
 * Deletes a message, and leaves a marker, so that an event that arrives later can't bring the message back. An unknown
 * id gets no marker unless `force` is set: a marker for a mistyped id would block that id for ever.
 *
 * @param options.force marks the id as deleted even if nothing in the table has it
 */
export const deleteMessage = async (
  table: Table,
  message: MessageRef,
  now: number,
  { force = false } = {},
): Promise<Deletion> => {
  /** Returns true if there was still a message to replace. */
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
    // Another call may have stored the message again while we were deleting its segments.
    isAgain = await putTombstone();
    wasHere ||= isAgain || removed > 0;
  }
  return wasHere ? "deleted" : "gone";
};

/** Returns false if somebody else has just deleted the message or replaced its content. */
export const replaceContent = async (
  table: Table,
  head: Head,
  content: Compressed,
  changes: Partial<Head>,
  now: number,
): Promise<boolean> => {
  const written = await writeSegments(table, head, content, head.content_digest);
  // We list the old segments before the update: after it, another call could add segments that we must not delete.
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
 * Returns false if there is no such message, or its content was just replaced. Importing the email later doesn't bring
 * its content back.
 */
export const removeContent = async (table: Table, { account_id, id }: MessageRef, now: number): Promise<boolean> => {
  const message = await findMessage(table, account_id, id, now, { withContent: false });
  if (!message) return false;
  const time = new Date(now).toISOString();
  return replaceContent(table, message.head, noContent, { updated_at: time, content_removed_at: time }, now);
};
