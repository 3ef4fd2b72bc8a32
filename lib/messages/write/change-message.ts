/** The writes that change a stored message: its status, its delivery attempts and its counters. */
import { isLive, live, nowValue } from "../../table/expiry.ts";
import { headKey } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { type Item, update, type Write } from "../../table/writes.ts";
import { maximumAttempts, type NewAttempt, putAttempt } from "../attempt.ts";
import type { Head } from "../head.ts";
import type { MessageRef } from "../message-ref.ts";
import { decisionsOf, type StatusChange } from "./latest-status.ts";

export type Changes = { statuses: StatusChange[]; attempts: NewAttempt[]; opens: number; clicks: number };

/** Adding `attempts` to the head's would exceed the limit. */
export const exceedsAttempts = ({ num_attempts }: Pick<Head, "num_attempts">, { attempts }: Changes): boolean =>
  attempts.length > 0 && num_attempts + attempts.length > maximumAttempts;

/**
 * Returns the update of the head, and a put for each attempt. The price doesn't depend on how many came before.
 *
 * @param head what is known of it: if the update's condition fails for another reason than that there is no such
 *   message, try again with the head that made it fail
 */
export const changeWrites = (
  table: Table,
  message: MessageRef,
  changes: Changes,
  head: Partial<Head>,
  now: number,
): { change: Write<Head>; attempts: Write[] } => {
  const decisions = decisionsOf(changes.statuses, head);
  const { attempts, opens, clicks } = changes;
  const { expires_at = 0 } = head;
  const set = ["updated_at = :updated_at"];
  const conditions: string[] = [`(${live})`];
  const values: Record<string, unknown> = { ":updated_at": new Date(now).toISOString(), ...nowValue(now) };
  for (const { field, value, by } of decisions) {
    set.push(`#${field} = :${field}`, `#${field}_by = :${field}_by`);
    conditions.push(`(attribute_not_exists(#${field}_by) OR #${field}_by < :${field}_by)`);
    Object.assign(values, { [`:${field}`]: value, [`:${field}_by`]: by });
  }
  const names = decisions.flatMap(({ field }) => [
    [`#${field}`, field],
    [`#${field}_by`, `${field}_by`],
  ]);
  if (attempts.length > 0) {
    // Each attempt expires with its message, so a head with another expiry is another message.
    conditions.push("num_attempts <= :room AND expires_at = :expires_at");
    Object.assign(values, { ":room": maximumAttempts - attempts.length, ":expires_at": expires_at });
  }
  const counts = Object.entries({ num_attempts: attempts.length, open_count: opens, click_count: clicks });
  const added = counts.filter(([, amount]) => amount > 0);
  for (const [name, amount] of added) values[`:${name}`] = amount;
  const add = added.map(([name]) => `${name} :${name}`);
  const fails = (found: Item | undefined): found is Item & Head => {
    if (!isLive(found, now)) return true;
    const current = found as Item & Head;
    const isLost = decisions.some(({ field, by }) => (current[`${field}_by`] ?? "") >= by);
    return isLost || exceedsAttempts(current, changes) || (attempts.length > 0 && current.expires_at !== expires_at);
  };
  const change = update<Head>(
    table,
    headKey(message.account_id, message.id),
    {
      UpdateExpression: `SET ${set.join(", ")}${add.length > 0 ? ` ADD ${add.join(", ")}` : ""}`,
      ConditionExpression: conditions.join(" AND "),
      ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
      ExpressionAttributeValues: values,
    },
    fails,
  );
  return { change, attempts: attempts.map((attempt) => putAttempt(table, message, attempt, expires_at)) };
};
