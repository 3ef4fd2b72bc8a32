/**
 * What happens to a message after it is stored: each is one atomic update, which never revives a message
 * that is missing or expired. All return whether there was a message to record it on.
 */
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { live, nowValue } from "../table/expiry.ts";
import { headKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { instant, text, words } from "./message.ts";

export type MessageRef = { account_id: string; id: string };

const update = async (
  table: Table,
  { account_id, id }: MessageRef,
  expression: string,
  { names, values }: { names?: Record<string, string>; values: Record<string, unknown> },
  now: number,
): Promise<boolean> => {
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: headKey(account_id.toLowerCase(), id.toLowerCase()),
        UpdateExpression: expression,
        ConditionExpression: live,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: {
          ...values,
          ...nowValue(now),
          ":updated_at": new Date(now).toISOString(),
        },
      }),
    );
    return true;
  } catch (error) {
    if ((error as Error).name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};

const StatusChange = z.object({
  status: words,
  sent_at: z.optional(instant),
  delivered_at: z.optional(instant),
  bounce_classification: z.optional(words),
});

/** A new status, and what became known with it. */
export const recordStatus = (
  table: Table,
  message: MessageRef,
  change: z.input<typeof StatusChange>,
  now: number,
): Promise<boolean> => {
  const fields = Object.entries(StatusChange.parse(change));
  const assignments = fields.map(([name]) => `#${name} = :${name}`);
  return update(
    table,
    message,
    `SET ${[...assignments, "updated_at = :updated_at"].join(", ")}`,
    {
      names: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
      values: Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
    },
    now,
  );
};

const Attempt = z.object({ time: instant, log: text, status: words });

/**
 * One more delivery attempt. Attempts may be recorded out of order: they are returned oldest first. All of
 * them share the head's item, which has at least 340 KB for them.
 */
export const recordDeliveryAttempt = (
  table: Table,
  message: MessageRef,
  attempt: z.input<typeof Attempt>,
  now: number,
): Promise<boolean> =>
  update(
    table,
    message,
    "SET delivery_attempts = list_append(delivery_attempts, :attempts), updated_at = :updated_at",
    { values: { ":attempts": [Attempt.parse(attempt)] } },
    now,
  );

const count = (counter: "open_count" | "click_count") => (table: Table, message: MessageRef, now: number) =>
  update(table, message, `SET updated_at = :updated_at ADD ${counter} :one`, { values: { ":one": 1 } }, now);

export const recordOpen = count("open_count");
export const recordClick = count("click_count");
