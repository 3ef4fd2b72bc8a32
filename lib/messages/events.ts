/** Changes a stored message. Changes may arrive in any order, but fail if the message does not exist or has expired. */
import { headKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { updateLive, type Write } from "../table/writes.ts";
import type { StatusChange } from "./head.ts";
import type { DeliveryAttempt } from "./message.ts";

export type MessageRef = { account_id: string; id: string };

const change =
  (table: Table, { account_id, id }: MessageRef, now: number) =>
  (assignment: string, values: Record<string, unknown>, addition = ""): Write =>
    updateLive(
      table,
      headKey(account_id, id),
      {
        UpdateExpression: `SET updated_at = :updated_at${assignment && `, ${assignment}`} ${addition}`.trim(),
        ExpressionAttributeValues: { ...values, ":updated_at": new Date(now).toISOString() },
      },
      now,
    );

/** Adds a status to the head. Get Message returns the newest status. */
export const addStatus = (table: Table, message: MessageRef, status: StatusChange, now: number): Write =>
  change(
    table,
    message,
    now,
  )("status_changes = list_append(if_not_exists(status_changes, :none), :statuses)", {
    ":none": [],
    ":statuses": [status],
  });

/** The head has space for at least 340 KB of delivery attempts. */
export const addDeliveryAttempt = (
  table: Table,
  message: MessageRef,
  attempt: DeliveryAttempt,
  now: number,
): Write =>
  change(
    table,
    message,
    now,
  )("delivery_attempts = list_append(delivery_attempts, :attempts)", {
    ":attempts": [attempt],
  });

const count = (counter: "open_count" | "click_count") => (table: Table, message: MessageRef, now: number) =>
  change(table, message, now)("", { ":one": 1 }, `ADD ${counter} :one`);

export const addOpen = count("open_count");
export const addClick = count("click_count");
