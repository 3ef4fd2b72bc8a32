/** The floor of a status poll: the API key, and the message's head by a GetItem. */
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { headKey } from "../../../lib/table/keys.ts";
import { findApiKey, json, table } from "./calls.ts";

export const handler = async (event: APIGatewayProxyEvent) => {
  const { account_id = "", message_id = "" } = event.pathParameters ?? {};
  const Key = headKey(account_id, message_id);
  const [, { Item: head }] = await Promise.all([
    findApiKey(event),
    table.client.send(new GetCommand({ TableName: table.name, Key })),
  ]);
  return json(200, JSON.stringify({ status: head?.status }));
};
