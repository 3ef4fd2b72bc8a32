/** API keys. The table stores only the digest of a secret, so nobody can copy a working key out of the table. */
import { randomBytes } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { epochSeconds, isLive, live, nowValue } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { apiKeyKey, apiKeyListingKey, sha256 } from "../table/keys.ts";
import { listItems } from "../table/list.ts";
import { succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { transact } from "../table/transact.ts";
import { put, update, type Write } from "../table/writes.ts";

/** `id` is the secret's SHA-256 digest in hex. */
export type ApiKey = {
  id: string;
  account_id: string;
  scopes: string[];
  label?: string | undefined;
  created_at: string;
  revoked_at?: string;
  /** In seconds since the epoch. A key without `expires_at` never expires. */
  expires_at?: number | undefined;
};

type Grant = Pick<ApiKey, "account_id" | "scopes" | "label" | "expires_at">;

export type NewApiKey = { secret: string; apiKey: ApiKey };

export const idOfSecret = (secret: string): string => sha256(secret);

/** Lists a key's digest under its account, because the key itself can only be found by its digest. */
const putListing = (table: Table, { account_id, id, expires_at }: ApiKey): Write =>
  put(table, apiKeyListingKey(account_id, id), { id, expires_at });

const putApiKey = (table: Table, apiKey: ApiKey): Write[] => [
  put(table, apiKeyKey(apiKey.id), apiKey),
  putListing(table, apiKey),
];

/** A secret has a prefix by which secret scanners recognise it, and 256 random bits. */
const newApiKey = (grant: Grant, now: number): NewApiKey => {
  const secret = `emk_${randomBytes(32).toString("base64url")}`;
  return { secret, apiKey: { id: idOfSecret(secret), ...grant, created_at: new Date(now).toISOString() } };
};

export const createApiKey = async (table: Table, grant: Grant, now: number): Promise<NewApiKey> => {
  const created = newApiKey(grant, now);
  await transact(table, putApiKey(table, created.apiKey));
  return created;
};

/** A strongly consistent read, so that a new key works and a revoked key fails on the very next request. */
const readApiKey = (table: Table, id: string): Promise<ApiKey | undefined> =>
  getItem<ApiKey>(table, apiKeyKey(id), { consistent: true });

/** Also finds revoked and expired keys, because the log names them. Always check the result with {@link isUsable}. */
export const findApiKey = (table: Table, secret: string): Promise<ApiKey | undefined> =>
  readApiKey(table, idOfSecret(secret));

export const isUsable = (apiKey: ApiKey, now: number): boolean => isLive(apiKey, now) && !apiKey.revoked_at;

/** The SDK has 50 connections. A read that waits too long for a free connection times out. */
const readsAtOnce = 20;

/** Returns the account's keys, including revoked keys but no expired ones, the oldest first. */
export const listApiKeys = async (table: Table, account_id: string, now: number): Promise<ApiKey[]> => {
  const listed = await listItems<Pick<ApiKey, "id">>(table, apiKeyListingKey(account_id, ""));
  const apiKeys = await pLimit(readsAtOnce).map(listed, async ({ id }) => (await readApiKey(table, id)) ?? []);
  return apiKeys
    .flat()
    .filter((apiKey) => isLive(apiKey, now))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

const usable = `${live} AND attribute_not_exists(revoked_at)`;

/** Returns false if the key is unknown, expired or already revoked. A second call keeps the first `revoked_at`. */
export const revokeApiKey = (table: Table, id: string, now: number): Promise<boolean> => {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: apiKeyKey(id),
    UpdateExpression: "SET revoked_at = :time",
    ConditionExpression: usable,
    ExpressionAttributeValues: { ":time": new Date(now).toISOString(), ...nowValue(now) },
  });
  return succeeds(() => table.client.send(command));
};

/** A key that was valid for 90 days gets a successor that is valid for 90 days. */
const nextExpiry = ({ created_at, expires_at }: ApiKey, now: number): number | undefined =>
  expires_at && epochSeconds(now) + expires_at - epochSeconds(Date.parse(created_at));

/** Lets a usable key and its listing expire at `apiKey.expires_at`, unless the key expires earlier anyway. */
const shorten = (table: Table, apiKey: ApiKey & { expires_at: number }, now: number): Write[] => [
  update(
    table,
    apiKeyKey(apiKey.id),
    {
      UpdateExpression: "SET expires_at = :end",
      ConditionExpression: `${usable} AND (attribute_not_exists(expires_at) OR expires_at >= :end)`,
      ExpressionAttributeValues: { ":end": apiKey.expires_at, ...nowValue(now) },
    },
    (item) => !isLive(item, now) || item?.revoked_at !== undefined || Number(item?.expires_at) < apiKey.expires_at,
  ),
  putListing(table, apiKey),
];

/** Returns false if the key is unknown, revoked or expired, or expires earlier anyway. */
export const shortenApiKey = async (
  table: Table,
  apiKey: ApiKey & { expires_at: number },
  now: number,
): Promise<boolean> => (await transact(table, shorten(table, apiKey, now))) === null;

/**
 * Replaces an API key by a new key with the same scopes, in one transaction. The old key expires after `graceSeconds`;
 * a second rotation can only bring that end forward. Returns `null` if the old key is unknown, revoked or expired.
 */
export const rotateApiKey = async (
  table: Table,
  id: string,
  graceSeconds: number,
  now: number,
): Promise<(NewApiKey & { old: ApiKey }) | null> => {
  const found = await readApiKey(table, id);
  if (!found || !isUsable(found, now)) return null;
  const end = epochSeconds(now) + graceSeconds;
  const old = { ...found, expires_at: Math.min(end, found.expires_at ?? end) };
  const { account_id, scopes, label } = found;
  const grant = { account_id, scopes, label, expires_at: nextExpiry(found, now) };
  const { secret, apiKey } = newApiKey(grant, now);
  const failed = await transact(table, [...putApiKey(table, apiKey), ...shorten(table, old, now)]);
  // If another rotation or a revocation has changed the old API key meanwhile, we start again.
  return failed ? rotateApiKey(table, id, graceSeconds, now) : { secret, apiKey, old };
};
