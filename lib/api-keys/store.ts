/** What the operator does with API keys. We store only a secret's digest, so nobody can copy a working key out. */
import { randomBytes } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { epochSeconds, isLive } from "../table/expiry.ts";
import { apiKeyKey, apiKeyListingKey } from "../table/keys.ts";
import { listItems } from "../table/list.ts";
import { succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { transact } from "../table/transact.ts";
import { type Item, put, update, type Write } from "../table/writes.ts";
import { type ApiKey, findApiKey, idOfSecret, isUsable } from "./api-key.ts";

type Grant = Pick<ApiKey, "account_id" | "scopes" | "label" | "expires_at">;

export type NewApiKey = { secret: string; apiKey: ApiKey };

type Listed = Pick<ApiKey, "id" | "label">;

/**
 * API keys are stored under their digests, so listing those of an account needs a second item per key. It lasts until
 * the expiry that the key was created with: if the key expires earlier and TTL deletes it, the listing still says that
 * the account had it.
 */
const putApiKey = (table: Table, apiKey: ApiKey): Write[] => {
  const { account_id, id, label, expires_at } = apiKey;
  return [put(table, apiKeyKey(id), apiKey), put(table, apiKeyListingKey(account_id, id), { id, label, expires_at })];
};

/**
 * A key that isn't stored yet, so that it can be printed before it works. Secret scanners recognise a leaked key by its
 * prefix `emk_`.
 */
export const newApiKey = (grant: Grant, now: number): NewApiKey => {
  const secret = `emk_${randomBytes(32).toString("base64url")}`;
  return { secret, apiKey: { id: idOfSecret(secret), ...grant, created_at: new Date(now).toISOString() } };
};

export const storeApiKey = async (table: Table, apiKey: ApiKey): Promise<void> => {
  await transact(table, putApiKey(table, apiKey));
};

export const createApiKey = async (table: Table, grant: Grant, now: number): Promise<NewApiKey> => {
  const created = newApiKey(grant, now);
  await storeApiKey(table, created.apiKey);
  return created;
};

/** The SDK opens at most 50 connections, and a read that waits too long for a free one times out. */
const readsAtOnce = 20;

const listKeys = async (table: Table, account_id: string, isWanted: (listed: Listed) => boolean): Promise<ApiKey[]> => {
  const listed = await listItems<Listed>(table, apiKeyListingKey(account_id, ""));
  const read = async ({ id }: Listed) => (await findApiKey(table, id)) ?? [];
  return (await pLimit(readsAtOnce).map(listed.filter(isWanted), read)).flat();
};

/** Revoked keys stay in the list until they expire. */
export const listApiKeys = async (table: Table, account_id: string, now: number): Promise<ApiKey[]> => {
  const apiKeys = await listKeys(table, account_id, () => true);
  return apiKeys.filter((apiKey) => isLive(apiKey, now)).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

/** A new key may take the label of a revoked one, so revoked keys don't count. */
export const keysLabelled = async (table: Table, account_id: string, label: string, now: number): Promise<ApiKey[]> => {
  const apiKeys = await listKeys(table, account_id, (listed) => listed.label === label);
  return apiKeys.filter((apiKey) => isUsable(apiKey, now));
};

const known = "attribute_exists(pk)";
const unrevoked = `${known} AND attribute_not_exists(revoked_at)`;

/** Whether a key has expired doesn't count: with a wrong clock, a leaked key would stay. */
const revocation = (now: number) => ({
  UpdateExpression: "SET revoked_at = :time",
  ConditionExpression: unrevoked,
  ExpressionAttributeValues: { ":time": new Date(now).toISOString() },
});

/** Returns false if the key is unknown or already revoked. */
export const revokeApiKey = (table: Table, id: string, now: number): Promise<boolean> => {
  const command = new UpdateCommand({ TableName: table.name, Key: apiKeyKey(id), ...revocation(now) });
  return succeeds(() => table.client.send(command));
};

const isRevoked = (item: Item | undefined): boolean => item === undefined || item.revoked_at !== undefined;

/** The new key gets the old key's lifetime, for example 90 days. */
const nextExpiry = ({ created_at, expires_at }: ApiKey, now: number): number | undefined =>
  expires_at && epochSeconds(now) + expires_at - epochSeconds(Date.parse(created_at));

const shortening = (table: Table, { id }: ApiKey, expires_at: number): Write =>
  update(
    table,
    apiKeyKey(id),
    {
      UpdateExpression: "SET expires_at = :end",
      ConditionExpression: `${unrevoked} AND (attribute_not_exists(expires_at) OR expires_at >= :end)`,
      ExpressionAttributeValues: { ":end": expires_at },
    },
    (item) => isRevoked(item) || Number(item?.expires_at) < expires_at,
  );

/** Makes a key expire earlier. Returns false if there is no such key, or it is revoked, or it expires even earlier. */
export const shortenApiKey = async (table: Table, apiKey: ApiKey, expires_at: number): Promise<boolean> =>
  (await transact(table, [shortening(table, apiKey, expires_at)])) === null;

/** `replace` stores the new key in place of the old one. It returns false, and changes nothing, if the old key was changed. */
export type Rotation = NewApiKey & { old: ApiKey; replace: () => Promise<boolean> };

/**
 * Prepares the replacement of an API key by a new one that has the same scopes. The old key works for another
 * `graceSeconds`; without any, it is revoked, and the clock doesn't matter. Returns `null` if the old key is unknown,
 * revoked or expired.
 */
export const rotateApiKey = async (
  table: Table,
  id: string,
  graceSeconds: number,
  now: number,
): Promise<Rotation | null> => {
  const found = await findApiKey(table, id);
  if (!found || !isUsable(found, now)) return null;
  const end = Math.min(epochSeconds(now) + graceSeconds, found.expires_at ?? Number.POSITIVE_INFINITY);
  const { account_id, scopes, label } = found;
  const created = newApiKey({ account_id, scopes, label, expires_at: nextExpiry(found, now) }, now);
  const ending =
    graceSeconds === 0 ? update(table, apiKeyKey(id), revocation(now), isRevoked) : shortening(table, found, end);
  return {
    ...created,
    old: { ...found, expires_at: end },
    replace: async () => (await transact(table, [...putApiKey(table, created.apiKey), ending])) === null,
  };
};
