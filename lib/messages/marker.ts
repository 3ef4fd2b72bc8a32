/** The message marker: an item that outlives its message, and says that a message existed or was deleted. */
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { daySeconds } from "../duration.ts";
import { getItem } from "../table/get.ts";
import { messageMarkerKey } from "../table/keys.ts";
import { retryWrite } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { update, type Write } from "../table/writes.ts";
import type { MessageRef } from "./events.ts";

/** `deleted_at` is present if an operator deleted the message. Such a marker never expires. */
export type MessageMarker = { deleted_at?: string; expires_at?: number };

/** Opens and clicks may arrive up to a year after the message has expired. */
const lifetimeSeconds = 366 * daySeconds;

/** Returns the message's marker, expired or not, or `undefined`. */
export const readMarker = (
  table: Table,
  { account_id, id }: MessageRef,
): Promise<MessageMarker | undefined> =>
  getItem<MessageMarker>(table, messageMarkerKey(account_id, id), { consistent: true });

/**
 * Marks a message as stored, in the same transaction as its head. The condition fails if the message was deleted.
 *
 * @param expires_at when the message expires, in epoch seconds
 */
export const markStored = (table: Table, { account_id, id }: MessageRef, expires_at: number): Write =>
  update(
    table,
    messageMarkerKey(account_id, id),
    {
      UpdateExpression: "SET expires_at = :expires_at",
      ConditionExpression: "attribute_not_exists(deleted_at)",
      ExpressionAttributeValues: { ":expires_at": expires_at + lifetimeSeconds },
    },
    (found) => found?.deleted_at !== undefined,
  );

/** Marks a message as deleted, whether or not it was ever stored. No event can store it from then on. */
export const markDeleted = async (
  table: Table,
  { account_id, id }: MessageRef,
  now: number,
): Promise<void> => {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: messageMarkerKey(account_id, id),
    UpdateExpression: "SET deleted_at = :time REMOVE expires_at",
    ExpressionAttributeValues: { ":time": new Date(now).toISOString() },
  });
  await retryWrite(() => table.client.send(command));
};
