/** A change fails if the message doesn't exist or has expired. */
import { headKey } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { updateLive, type Write } from "../../table/writes.ts";
import type { Head, StatusChange } from "../head.ts";
import type { MessageRef } from "../message-ref.ts";

/** Entries to append to a stored message's lists, and amounts to add to its counters. */
export type Changes = Partial<
  Pick<Head, "delivery_attempts" | "open_count" | "click_count"> & { status_changes: StatusChange[] }
>;

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
