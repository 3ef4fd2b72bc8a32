/** Stores the same email in each request: postal-mime and JSON.stringify render it, the calls are the same. */
import { createHash } from "node:crypto";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { compressToSegments } from "../../../lib/messages/content/compression.ts";
import { writeSegments } from "../../../lib/messages/content/write-segments.ts";
import { headKey } from "../../../lib/table/keys.ts";
import { openTable } from "../../../lib/table/table.ts";
import { newEmail } from "../email.ts";
import { newMessage } from "../message.ts";
import { parse } from "./parse-postal-mime.ts";

const table = openTable();
const raw = newEmail(Number(process.env.EMAIL_BYTES));

export const handler = async ({ pathParameters }: APIGatewayProxyEvent) => {
  const { retain_until, ...message } = newMessage(pathParameters?.account_id ?? "");
  const key = headKey(message.account_id, message.id);
  const digest = createHash("sha256").update(raw).digest("hex");
  await table.client.send(new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }));
  const json = JSON.stringify({ content: raw.toString(), content_parsed: await parse(raw) });
  const expires_at = Math.floor(Number(retain_until) / 1000);
  const content = await compressToSegments([Buffer.from(json)], raw.length);
  const written = await writeSegments(table, { ...message, created_at: "", expires_at }, content);
  const Item = { ...key, ...message, ...written, digest, expires_at };
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
  return { statusCode: 200, body: "" };
};
