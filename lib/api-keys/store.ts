/** API keys. We store only a secret's digest, so nobody can copy a working key out of the table. */
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
  /** In seconds since the epoch. Without `expires_at`, a key never expires. */
  expires_at?: number | undefined;
};

type Grant = Pick<ApiKey, "account_id" | "scopes" | "label" | "expires_at">;

export type NewApiKey = { secret: string; apiKey: ApiKey };

export const idOfSecret = (secret: string): string => sha256(secret);

/** API keys are stored under their digests, so listing those of an account needs a second item per key. */
const putListing = (table: Table, { account_id, id, expires_at }: ApiKey): Write =>
  put(table, apiKeyListingKey(account_id, id), { id, expires_at });

const putApiKey = (table: Table, apiKey: ApiKey): Write[] => [
  put(table, apiKeyKey(apiKey.id), apiKey),
  putListing(table, apiKey),
];

/** Secret scanners recognise a leaked key by its prefix `emk_`. */
const newApiKey = (grant: Grant, now: number): NewApiKey => {
  const secret = `emk_${randomBytes(32).toString("base64url")}`;
  return { secret, apiKey: { id: idOfSecret(secret), ...grant, created_at: new Date(now).toISOString() } };
};

export const createApiKey = async (table: Table, grant: Grant, now: number): Promise<NewApiKey> => {
  const created = newApiKey(grant, now);
  await transact(table, putApiKey(table, created.apiKey));
  return created;
};

/** The result may be a revoked or expired key: check {@link isUsable}. A consistent read makes revocation immediate. */
export const findApiKey = (table: Table, id: string): Promise<ApiKey | undefined> =>
  getItem<ApiKey>(table, apiKeyKey(id), { consistent: true });

export const isUsable = (apiKey: ApiKey, now: number): boolean => isLive(apiKey, now) && !apiKey.revoked_at;

/** The SDK opens at most 50 connections, and a read that waits too long for a free one times out. */
const readsAtOnce = 20;

/** Revoked keys stay in the list until they expire. */
export const listApiKeys = async (table: Table, account_id: string, now: number): Promise<ApiKey[]> => {
  const listed = await listItems<Pick<ApiKey, "id">>(table, apiKeyListingKey(account_id, ""));
  const apiKeys = await pLimit(readsAtOnce).map(listed, async ({ id }) => (await findApiKey(table, id)) ?? []);
  return apiKeys
    .flat()
    .filter((apiKey) => isLive(apiKey, now))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

const usable = `${live} AND attribute_not_exists(revoked_at)`;

/** Returns false if the key is unknown, expired or already revoked. */
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

/** The new key gets the old key's lifetime, for example 90 days. */
const nextExpiry = ({ created_at, expires_at }: ApiKey, now: number): number | undefined =>
  expires_at && epochSeconds(now) + expires_at - epochSeconds(Date.parse(created_at));

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

/** Makes a key expire earlier. Returns false if there is no such key, or it is revoked, or it expires even earlier. */
export const shortenApiKey = async (
  table: Table,
  apiKey: ApiKey & { expires_at: number },
  now: number,
): Promise<boolean> => (await transact(table, shorten(table, apiKey, now))) === null;

/**
 * Replaces an API key with a new one that has the same scopes. The old key works for another `graceSeconds`, however
 * often you rotate it. Returns `null` if the old key is unknown, revoked or expired.
 */
export const rotateApiKey = async (
  table: Table,
  id: string,
  graceSeconds: number,
  now: number,
): Promise<(NewApiKey & { old: ApiKey }) | null> => {
  const found = await findApiKey(table, id);
  if (!found || !isUsable(found, now)) return null;
  const end = epochSeconds(now) + graceSeconds;
  const old = { ...found, expires_at: Math.min(end, found.expires_at ?? end) };
  const { account_id, scopes, label } = found;
  const grant = { account_id, scopes, label, expires_at: nextExpiry(found, now) };
  const { secret, apiKey } = newApiKey(grant, now);
  const failed = await transact(table, [...putApiKey(table, apiKey), ...shorten(table, old, now)]);
  // If another call has changed the old key in the meantime, we start again.
  return failed ? rotateApiKey(table, id, graceSeconds, now) : { secret, apiKey, old };
};
