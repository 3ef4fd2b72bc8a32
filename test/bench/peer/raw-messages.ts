/**
 * The peers of Get Message: the raw email is in the table and is parsed on each read, and the response is
 * buffered. An item holds 400 KB, so a larger email goes on in items of the same partition. In the peers'
 * favour, nothing but the key is checked and nothing is logged; and no one holds them to the 6 MB that Lambda
 * buffers.
 */
import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { ParsedContent } from "../../../lib/messages/message.ts";
import { apiKeyKey, sha256 } from "../../../lib/table/keys.ts";
import { openTable, type Table } from "../../../lib/table/table.ts";

/** The item limit of 400 KB, less room for the message's fields. */
const chunkBytes = 380_000;

const partition = (account_id: string, id: string): string => `RAW_MESSAGE#${account_id}#${id}`;

/** @param fields the Message object without its content */
export const storeRawMessage = async (
  table: Table,
  { account_id, id, ...fields }: { account_id: string; id: string; [field: string]: unknown },
  raw: Buffer,
): Promise<void> => {
  for (let index = 0; index * chunkBytes < raw.length; index++) {
    await table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: {
          pk: partition(account_id, id),
          sk: String(index).padStart(5, "0"),
          raw: raw.subarray(index * chunkBytes, (index + 1) * chunkBytes),
          ...(index === 0 ? { fields: { account_id, id, ...fields } } : {}),
        },
      }),
    );
  }
};

type Item = { fields?: Record<string, unknown>; raw: Uint8Array };

const readItems = async ({ client, name }: Table, pk: string): Promise<Item[]> => {
  const items: Item[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: name,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      }),
    );
    items.push(...((page.Items ?? []) as Item[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
};

/** The Lambda handler around a parser. */
export const getMessage = (parse: (raw: Buffer) => Promise<ParsedContent>) => {
  const table = openTable();
  return async ({ headers, pathParameters }: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const { account_id = "", message_id = "" } = pathParameters ?? {};
    const secret = headers.Authorization?.slice("Bearer ".length) ?? "";
    const { Item: apiKey } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: apiKeyKey(sha256(secret)), ConsistentRead: true }),
    );
    if (apiKey?.account_id !== account_id) throw new Error("Invalid API key");
    const items = await readItems(table, partition(account_id, message_id));
    const raw = Buffer.concat(items.map((item) => item.raw));
    const content_parsed = await parse(raw);
    return {
      statusCode: 200,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...items[0]?.fields, content: raw.toString(), content_parsed }),
    };
  };
};
