/** The floor of Add Account Member: the same calls; no stack, and nothing is checked. */
import { randomUUID } from "node:crypto";
import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { apiKeyKey, idempotencyRecordKey, memberKey, sha256, userKey } from "../../../lib/table/keys.ts";
import { openTable } from "../../../lib/table/table.ts";

const { client, name: TableName } = openTable();

const put = (Item: Record<string, unknown>) => ({
  Put: { TableName, Item, ConditionExpression: "attribute_not_exists(pk)" },
});

export const handler = async ({
  headers,
  pathParameters,
  body: text,
}: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const { account_id = "" } = pathParameters ?? {};
  const { email, role, name } = JSON.parse(text ?? "");
  const secret = headers.Authorization?.slice("Bearer ".length) ?? "";
  const [, { Item: user }] = await Promise.all([
    client.send(new GetCommand({ TableName, Key: apiKeyKey(sha256(secret)), ConsistentRead: true })),
    client.send(new GetCommand({ TableName, Key: userKey(email) })),
  ]);

  const created_at = new Date().toISOString();
  const user_id = user?.id ?? randomUUID();
  const member = { id: randomUUID(), created_at, updated_at: created_at, user_id, account_id, role };
  const body = JSON.stringify(member);
  const expires_at = Math.floor(Date.now() / 1000) + 24 * 60 * 60;
  await client.send(
    new TransactWriteCommand({
      TransactItems: [
        put({ ...memberKey(account_id, user_id), ...member, email, name }),
        ...(user ? [] : [put({ ...userKey(email), id: user_id, email, created_at })]),
        put({
          ...idempotencyRecordKey(account_id, headers["Idempotency-Key"] ?? ""),
          fingerprint: sha256(text ?? ""),
          status: 201,
          body,
          expires_at,
        }),
      ],
      ClientRequestToken: randomUUID(),
    }),
  );
  return { statusCode: 201, headers: { "Content-Type": "application/json" }, body };
};
