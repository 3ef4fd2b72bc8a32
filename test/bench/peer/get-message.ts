/**
 * The peer of Get Message: stores the raw email, parses it with postal-mime on each read, and buffers the response. In
 * the peer's favour, it checks only the key, logs nothing, and may buffer more than Lambda's 6 MB.
 */
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { apiKeyKey, sha256 } from "../../../lib/table/keys.ts";
import { openTable } from "../../../lib/table/table.ts";
import { parse } from "./parse-postal-mime.ts";
import { readRawMessage } from "./raw-messages.ts";

const table = openTable();

export const handler = async ({
  headers,
  pathParameters,
}: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const { account_id = "", message_id = "" } = pathParameters ?? {};
  const secret = headers.Authorization?.slice("Bearer ".length) ?? "";
  const { Item: apiKey } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: apiKeyKey(sha256(secret)), ConsistentRead: true }),
  );
  if (apiKey?.account_id !== account_id) throw new Error("Invalid API key");
  const { fields, raw } = await readRawMessage(table, account_id, message_id);
  return {
    statusCode: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...fields, content: raw.toString(), content_parsed: await parse(raw) }),
  };
};
