/** Changes a stored message. Changes may arrive in any order, but fail if the message does not exist or has expired. */
import { headKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { updateLive, type Write } from "../table/writes.ts";
import type { StatusChange } from "./head.ts";
import type { DeliveryAttempt } from "./message.ts";

export type MessageRef = { account_id: string; id: string };

const change = (
  table: Table,
  { account_id, id }: MessageRef,
  now: number,
  expression: string,
  values: Record<string, unknown>,
): Write =>
  updateLive(
    table,
    headKey(account_id, id),
    {
      UpdateExpression: `SET updated_at = :updated_at${expression}`,
      ExpressionAttributeValues: { ...values, ":updated_at": new Date(now).toISOString() },
    },
    now,
  );

const append = (list: "status_changes" | "delivery_attempts"): string =>
  `, ${list} = list_append(if_not_exists(${list}, :none), :added)`;

/** Adds a status to the status changes of a stored message. Get Message returns the newest status. */
export const addStatus = (table: Table, message: MessageRef, status: StatusChange, now: number): Write =>
  change(table, message, now, append("status_changes"), { ":none": [], ":added": [status] });

/** The head of a message has space for at least 340 KB of delivery attempts. */
export const addDeliveryAttempt = (
  table: Table,
  message: MessageRef,
  attempt: DeliveryAttempt,
  now: number,
): Write => change(table, message, now, append("delivery_attempts"), { ":none": [], ":added": [attempt] });

const count = (counter: "open_count" | "click_count") => (table: Table, message: MessageRef, now: number) =>
  change(table, message, now, ` ADD ${counter} :one`, { ":one": 1 });

export const addOpen = count("open_count");
export const addClick = count("click_count");
