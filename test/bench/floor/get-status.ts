/** The floor of a status poll: the API key, and the message's head by a GetItem. */
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { apiKeyKey, headKey, sha256 } from "../../../lib/table/keys.ts";
import { openTable } from "../../../lib/table/table.ts";

const { client, name: TableName } = openTable();

export const handler = async ({
  headers,
  pathParameters,
}: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const { account_id = "", message_id = "" } = pathParameters ?? {};
  const secret = headers.Authorization?.slice("Bearer ".length) ?? "";
  const [, { Item: head }] = await Promise.all([
    client.send(new GetCommand({ TableName, Key: apiKeyKey(sha256(secret)), ConsistentRead: true })),
    client.send(new GetCommand({ TableName, Key: headKey(account_id, message_id) })),
  ]);
  return {
    statusCode: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ status: head?.status }),
  };
};
