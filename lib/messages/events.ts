/** Changes a stored message. Changes may arrive in any order, but fail if the message does not exist or has expired. */
import { headKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { updateLive, type Write } from "../table/writes.ts";
import type { Head, StatusChange } from "./head.ts";

export type MessageRef = { account_id: string; id: string };

/** What is appended to the lists of a head, and added to its counters. */
export type Changes = Partial<
  Pick<Head, "delivery_attempts" | "open_count" | "click_count"> & { status_changes: StatusChange[] }
>;

/**
 * Makes all changes in one update, which costs as much as a single one: DynamoDB bills the head's size. The head keeps
 * every status, because the newest may arrive first, and has space for at least 340 KB of delivery attempts.
 */
export const changeMessage = (table: Table, { account_id, id }: MessageRef, changes: Changes, now: number): Write => {
  const values: Record<string, unknown> = { ":updated_at": new Date(now).toISOString() };
  const set = ["updated_at = :updated_at"];
  const add: string[] = [];
  for (const [field, change] of Object.entries(changes)) {
    values[`:${field}`] = change;
    if (typeof change === "number") add.push(`${field} :${field}`);
    else {
      set.push(`${field} = list_append(if_not_exists(${field}, :none), :${field})`);
      values[":none"] = [];
    }
  }
  const UpdateExpression = `SET ${set}${add.length > 0 ? ` ADD ${add}` : ""}`;
  return updateLive(table, headKey(account_id, id), { UpdateExpression, ExpressionAttributeValues: values }, now);
};
