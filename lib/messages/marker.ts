/** The marker outlives its message, so that late events of an old message differ from early events of a new one. */
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { getItem } from "../table/get.ts";
import { markerKey } from "../table/keys.ts";
import { retryWrite } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { update, type Write } from "../table/writes.ts";
import { daySeconds } from "../time/clock.ts";
import type { MessageRef } from "./message-ref.ts";

export type Marker = { deleted_at?: string; expires_at?: number };

/** A marker is kept for a year after its message has expired, because some people open emails months later. */
const lifetimeSeconds = 366 * daySeconds;

/** When the message of a marker expires or has expired. */
export const expiryOf = (expires_at: number): string => new Date((expires_at - lifetimeSeconds) * 1000).toISOString();

/** Also returns an expired marker. */
export const readMarker = (table: Table, { account_id, id }: MessageRef): Promise<Marker | undefined> =>
  getItem<Marker>(table, markerKey(account_id, id), { consistent: true });

/** This write fails if the message has been deleted. */
export const markStored = (table: Table, { account_id, id }: MessageRef, expires_at: number): Write<Marker> =>
  update(
    table,
    markerKey(account_id, id),
    {
      UpdateExpression: "SET expires_at = :expires_at",
      ConditionExpression: "attribute_not_exists(deleted_at)",
      ExpressionAttributeValues: { ":expires_at": expires_at + lifetimeSeconds },
    },
    (found) => found?.deleted_at !== undefined,
  );

/** A deleted message stays deleted: {@link markStored} fails from now on. */
export const markDeleted = async (table: Table, { account_id, id }: MessageRef, now: number): Promise<void> => {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: markerKey(account_id, id),
    UpdateExpression: "SET deleted_at = :time REMOVE expires_at",
    ExpressionAttributeValues: { ":time": new Date(now).toISOString() },
  });
  await retryWrite(() => table.client.send(command), table.deadline);
};
