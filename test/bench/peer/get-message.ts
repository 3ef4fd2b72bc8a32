/**
 * The peer of Get Message: stores the raw email, parses it with postal-mime on each read, and buffers the response. In
 * the peer's favour, it checks only the key, logs nothing, and may buffer more than Lambda's 6 MB.
 */
import type { APIGatewayProxyEvent } from "aws-lambda";
import { findApiKey, json, table } from "../floor/calls.ts";
import { parse } from "./parse-postal-mime.ts";
import { readRawMessage } from "./raw-messages.ts";

export const handler = async (event: APIGatewayProxyEvent) => {
  const { account_id = "", message_id = "" } = event.pathParameters ?? {};
  const apiKey = await findApiKey(event);
  if (apiKey?.account_id !== account_id) throw new Error("Invalid API key");
  const { fields, raw } = await readRawMessage(table, account_id, message_id);
  return json(200, JSON.stringify({ ...fields, content: raw.toString(), content_parsed: await parse(raw) }));
};
