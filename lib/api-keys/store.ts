/** API keys: who may call, on which account, for what. Only the SHA-256 of a key is stored. */
import { randomBytes } from "node:crypto";
import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { isLive, present } from "../table/expiry.ts";
import { apiKeyKey, sha256 } from "../table/keys.ts";
import type { Table } from "../table/table.ts";

/** `id` is the SHA-256 of the key, in hex: it finds the key, and cannot be turned back into it. */
export type ApiKey = {
  id: string;
  account_id: string;
  scopes: string[];
  label?: string;
  created_at: string;
  revoked_at?: string;
  /** Epoch seconds; a key without it does not expire. */
  expires_at?: number;
};

/** A prefix that secret scanners can look for, then 256 random bits. */
const newSecret = (): string => `emk_${randomBytes(32).toString("base64url")}`;

/** Stores a new key. The answer is the only place where the secret ever appears. */
export const createApiKey = async (
  table: Table,
  grant: Pick<ApiKey, "account_id" | "scopes" | "label" | "expires_at">,
  now: number,
  secret: string = newSecret(),
): Promise<{ secret: string; apiKey: ApiKey }> => {
  const apiKey: ApiKey = { id: sha256(secret), ...grant, created_at: new Date(now).toISOString() };
  await table.client.send(
    new PutCommand({ TableName: table.name, Item: { ...apiKeyKey(apiKey.id), ...apiKey } }),
  );
  return { secret, apiKey };
};

/**
 * The key that a caller sent, or `null` when it is unknown, revoked or expired. The read is strongly
 * consistent: a new key works, and a revoked one fails, on the very next request.
 */
export const findApiKey = async (table: Table, secret: string, now: number): Promise<ApiKey | null> => {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: apiKeyKey(sha256(secret)),
      ConsistentRead: true,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  const apiKey = Item as ApiKey | undefined;
  return apiKey && !apiKey.revoked_at && isLive(apiKey, now) ? apiKey : null;
};

/** Ends a key from the next request on. Answers false when there is no such key, or it has ended already. */
export const revokeApiKey = async (table: Table, id: string, now: number): Promise<boolean> => {
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: apiKeyKey(id),
        UpdateExpression: "SET revoked_at = :time",
        ConditionExpression: `${present} AND attribute_not_exists(revoked_at)`,
        ExpressionAttributeValues: { ":time": new Date(now).toISOString() },
      }),
    );
    return true;
  } catch (error) {
    if ((error as Error).name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};
