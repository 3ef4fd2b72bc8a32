/** The calls that floors and peers have in common. */
import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { apiKeyKey, memberKey, personKey, sha256, userKey } from "../../../lib/table/keys.ts";
import { openTable } from "../../../lib/table/table.ts";

export const table = openTable();

export const findApiKey = async ({ headers }: APIGatewayProxyEvent, { client, name } = table) => {
  const Key = apiKeyKey(sha256(headers.Authorization?.slice("Bearer ".length) ?? ""));
  const { Item } = await client.send(new GetCommand({ TableName: name, Key, ConsistentRead: true }));
  return Item;
};

export const findUser = async (email: string) => {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: userKey(email) }));
  return Item;
};

export const putIfAbsent = (Item: Record<string, unknown>) => ({
  Put: { TableName: table.name, Item, ConditionExpression: "attribute_not_exists(pk)" },
});

type NewMember = { email: string; role: string; name: string };

/** Returns a member, and the writes that add the member and a new user. */
export const addMember = (account_id: string, { email, role, name }: NewMember, user?: { id?: string }) => {
  const created_at = new Date().toISOString();
  const user_id = user?.id ?? randomUUID();
  const member = { id: randomUUID(), created_at, updated_at: created_at, user_id, account_id, role };
  const writes = [
    putIfAbsent({ ...memberKey(account_id, user_id), ...member, email, name, person: personKey(email) }),
    ...(user ? [] : [putIfAbsent({ ...userKey(email), id: user_id, email, created_at })]),
  ];
  return { member, writes };
};

export const json = (statusCode: number, body: string): APIGatewayProxyResult => ({
  statusCode,
  headers: { "Content-Type": "application/json" },
  body,
});
