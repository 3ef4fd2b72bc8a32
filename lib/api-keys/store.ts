/** Stores API keys. Only the digest of a secret is stored. */
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

/** `id` is the SHA-256 digest of the secret, in hex. */
export type ApiKey = {
  id: string;
  account_id: string;
  scopes: string[];
  label?: string | undefined;
  created_at: string;
  revoked_at?: string;
  /** The expiry in seconds since the epoch. Without `expires_at`, the API key does not expire. */
  expires_at?: number | undefined;
};

type Grant = Pick<ApiKey, "account_id" | "scopes" | "label" | "expires_at">;

export type NewApiKey = { secret: string; apiKey: ApiKey };

export const idOfSecret = (secret: string): string => sha256(secret);

/** Adds an API key to the account's list of API keys. The list contains only the id and the expiry of each API key. */
const putListing = (table: Table, { account_id, id, expires_at }: ApiKey): Write =>
  put(table, apiKeyListingKey(account_id, id), { id, expires_at });

const putApiKey = (table: Table, apiKey: ApiKey): Write[] => [
  put(table, apiKeyKey(apiKey.id), apiKey),
  putListing(table, apiKey),
];

/** Returns an API key with a new secret: a prefix that secret scanners recognise, and 256 random bits. */
const newApiKey = (grant: Grant, now: number): NewApiKey => {
  const secret = `emk_${randomBytes(32).toString("base64url")}`;
  return { secret, apiKey: { id: idOfSecret(secret), ...grant, created_at: new Date(now).toISOString() } };
};

export const createApiKey = async (table: Table, grant: Grant, now: number): Promise<NewApiKey> => {
  const created = newApiKey(grant, now);
  await transact(table, putApiKey(table, created.apiKey));
  return created;
};

/** Strongly consistent, so a new API key works on the next request, and a revoked one fails. */
const readApiKey = (table: Table, id: string): Promise<ApiKey | undefined> =>
  getItem<ApiKey>(table, apiKeyKey(id), { consistent: true });

/** Returns the API key with this secret, even if it is revoked or expired: the log names it, {@link isUsable} decides. */
export const findApiKey = (table: Table, secret: string): Promise<ApiKey | undefined> =>
  readApiKey(table, idOfSecret(secret));

export const isUsable = (apiKey: ApiKey, now: number): boolean => isLive(apiKey, now) && !apiKey.revoked_at;

/** The limit of parallel reads. Too many reads could time out while they wait for one of the SDK's 50 connections. */
const readsAtOnce = 20;

/** Returns an account's API keys, the oldest first. Includes revoked API keys, but not expired API keys. */
export const listApiKeys = async (table: Table, account_id: string, now: number): Promise<ApiKey[]> => {
  const listed = await listItems<Pick<ApiKey, "id">>(table, apiKeyListingKey(account_id, ""));
  const apiKeys = await pLimit(readsAtOnce).map(
    listed,
    async ({ id }) => (await readApiKey(table, id)) ?? [],
  );
  return apiKeys
    .flat()
    .filter((apiKey) => isLive(apiKey, now))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

const usable = `${live} AND attribute_not_exists(revoked_at)`;

/** Revokes an API key at once. Returns false if the API key is unknown, already revoked or expired. */
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

/** Returns a new API key's expiry. If the old API key was created for 90 days, the new API key expires in 90 days. */
const nextExpiry = ({ created_at, expires_at }: ApiKey, now: number): number | undefined =>
  expires_at && epochSeconds(now) + expires_at - epochSeconds(Date.parse(created_at));

/** Lets a usable key end at `apiKey.expires_at`, unless it ends earlier anyway, and its listing with it. */
const shorten = (table: Table, apiKey: ApiKey & { expires_at: number }, now: number): Write[] => [
  update(
    table,
    apiKeyKey(apiKey.id),
    {
      UpdateExpression: "SET expires_at = :end",
      ConditionExpression: `${usable} AND (attribute_not_exists(expires_at) OR expires_at >= :end)`,
      ExpressionAttributeValues: { ":end": apiKey.expires_at, ...nowValue(now) },
    },
    (item) =>
      !isLive(item, now) || item?.revoked_at !== undefined || Number(item?.expires_at) < apiKey.expires_at,
  ),
  putListing(table, apiKey),
];

/** Returns false if the key is unknown, revoked or expired, or ends earlier anyway. */
export const shortenApiKey = async (
  table: Table,
  apiKey: ApiKey & { expires_at: number },
  now: number,
): Promise<boolean> => (await transact(table, shorten(table, apiKey, now))) === null;

/**
 * Creates an API key with the scopes of an old API key, and lets the old API key expire after `graceSeconds`. One
 * transaction stores the new API key and the new expiry of the old API key. If several rotations of one API key run in
 * parallel, the shortest grace period applies. Returns `null` if the old API key is unknown, revoked or expired.
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
  // The transaction fails if a parallel rotation or revocation changes the old API key. Then the rotation starts again.
  return failed ? rotateApiKey(table, id, graceSeconds, now) : { secret, apiKey, old };
};
