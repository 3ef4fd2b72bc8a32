/** The floor of Add Account Member: the calls, without a stack and without checks. */
import { randomUUID } from "node:crypto";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { idempotencyRecordKey, sha256 } from "../../../lib/table/keys.ts";
import { addMember, findApiKey, findUser, json, putIfAbsent, table } from "./calls.ts";

export const handler = async (event: APIGatewayProxyEvent) => {
  const { account_id = "" } = event.pathParameters ?? {};
  const text = event.body ?? "";
  const fields = JSON.parse(text);
  const [, user] = await Promise.all([findApiKey(event), findUser(fields.email)]);
  const { member, writes } = addMember(account_id, fields, user);
  const body = JSON.stringify(member);
  const record = putIfAbsent({
    ...idempotencyRecordKey(account_id, event.headers["Idempotency-Key"] ?? ""),
    digest: sha256(text),
    status: 201,
    body,
    expires_at: Math.floor(Date.now() / 1000) + 24 * 60 * 60,
  });
  await table.client.send(
    new TransactWriteCommand({ TransactItems: [...writes, record], ClientRequestToken: randomUUID() }),
  );
  return json(201, body);
};
