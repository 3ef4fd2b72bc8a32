/**
 * What happens to a message after it is stored: each is one write to its head, which is refused where the message
 * is missing or has expired. All of them commute, so the order in which they are made does not matter.
 */
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

/** A new status, and what became known with it. All are kept: which is the newest is seen when they are read. */
export const addStatus = (table: Table, message: MessageRef, status: StatusChange, now: number): Write =>
  change(
    table,
    message,
    now,
  )("status_changes = list_append(if_not_exists(status_changes, :none), :statuses)", {
    ":none": [],
    ":statuses": [status],
  });

/** One more delivery attempt. All of them share the head's item, which has at least 340 KB for them. */
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
