/** Lists the messages in the table of `npm start`. The API can't list messages, because that would be slow. */
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { Head } from "../../lib/messages/head.ts";
import { headSort, itemTypes } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import type { Listed } from "./served.ts";

const shown = [
  "account_id",
  "id",
  "subject",
  "sender",
  "recipient",
  "message_id",
  "status",
  "created_at",
] as const satisfies (keyof Head & keyof Listed)[];

/** Reads the whole table, and returns the live messages of all accounts, newest first. */
export const listMessages = async (table: Table, now: number): Promise<Listed[]> => {
  const found: Listed[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({
        TableName: table.name,
        FilterExpression: "sk = :head AND begins_with(pk, :message) AND expires_at > :now",
        ProjectionExpression: shown.map((name) => `#${name}`).join(", "),
        ExpressionAttributeNames: Object.fromEntries(shown.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: { ":head": headSort, ":message": itemTypes.message, ":now": now / 1000 },
        ExclusiveStartKey,
      }),
    );
    found.push(...((page.Items ?? []) as Listed[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return found.sort((a, b) => b.created_at.localeCompare(a.created_at));
};
