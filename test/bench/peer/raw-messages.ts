/** The peer's messages in the table: the raw email, in as many items as it needs. */
import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../../../lib/table/table.ts";

/** An item holds 400 KB. The rest is for the message's fields. */
const chunkBytes = 380_000;

const partition = (account_id: string, id: string): string => `RAW_MESSAGE#${account_id}#${id}`;

/** @param fields the Message object without its content */
export const storeRawMessage = async (
  table: Table,
  fields: { account_id: string; id: string },
  raw: Buffer,
): Promise<void> => {
  for (let index = 0; index * chunkBytes < raw.length; index++) {
    const Item = {
      pk: partition(fields.account_id, fields.id),
      sk: String(index).padStart(5, "0"),
      raw: raw.subarray(index * chunkBytes, (index + 1) * chunkBytes),
      ...(index === 0 && { fields }),
    };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }
};

type Item = { fields?: Record<string, unknown>; raw: Uint8Array };

export const readRawMessage = async ({ client, name }: Table, account_id: string, id: string) => {
  const items: Item[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: name,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": partition(account_id, id) },
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    items.push(...((page.Items ?? []) as Item[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return { fields: items[0]?.fields, raw: Buffer.concat(items.map((item) => item.raw)) };
};
