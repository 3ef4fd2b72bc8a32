/** Finds and prints API keys for the operator's commands. */
import { type ApiKey, idOfSecret, listApiKeys, type NewApiKey } from "../../lib/api-keys/store.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../user-error.ts";
import { report, type Shell } from "./command.ts";

export const noSuchKey = "no such key, or it was revoked or has expired";

/** Returns the time when a key expires, or `null` if the key never expires. */
export const expiry = ({ expires_at }: Pick<ApiKey, "expires_at">): string | null =>
  expires_at === undefined ? null : new Date(expires_at * 1000).toISOString();

/** Returns the account's valid keys with this label. Leaves out revoked and expired keys. */
export const keysLabelled = async (
  table: Table,
  account_id: string,
  label: string,
  now: number,
): Promise<ApiKey[]> => {
  const apiKeys = await listApiKeys(table, account_id, now);
  return apiKeys.filter((apiKey) => apiKey.label === label && !apiKey.revoked_at);
};

/** Prints a new key, which cannot be shown again. `more` contains more fields of JSON and more lines of text. */
export const reportNewKey = (
  shell: Shell,
  json: true | undefined,
  { secret, apiKey }: NewApiKey,
  more: { fields: object; lines: string[] } = { fields: {}, lines: [] },
): void => {
  const { id, account_id, scopes } = apiKey;
  const expires_at = expiry(apiKey);
  const lines = [
    `API key   ${secret}   (shown only now, because only its digest is stored)`,
    `id        ${id}   (revoke the key with this id)`,
    `account   ${account_id}`,
    `scopes    ${scopes.join(" ")}`,
    `expires   ${expires_at ?? "never"}`,
    ...more.lines,
  ];
  report(shell, json, { api_key: secret, id, account_id, scopes, expires_at, ...more.fields }, ...lines);
};

/** Matches a key or the id of a key. A key has 43 characters after `emk_`, even if more letters follow. */
const keyOrId = /emk_[\w-]{43}|(?<![\da-fA-F])[\da-fA-F]{64}(?![\da-fA-F])/g;

/**
 * Returns the ids of all keys in a text such as `Authorization: Bearer emk_…`. The text may contain keys and ids of
 * keys. If the text contains neither, the whole text is the label of a key.
 *
 * @throws UserError if the label does not name exactly one valid key of the account
 */
export const idsOf = async (
  table: Table,
  text: string,
  account_id: string | undefined,
  now: number,
): Promise<string[]> => {
  const found = text
    .match(keyOrId)
    ?.map((name) => (name.startsWith("emk_") ? idOfSecret(name) : name.toLowerCase()));
  if (found) return [...new Set(found)];
  if (!account_id) throw new UserError(`${text}: neither an id nor a key. A label requires --account`, 2);
  const [apiKey, ...others] = await keysLabelled(table, account_id, text, now);
  if (!apiKey) throw new UserError(`${text}: ${noSuchKey}`);
  if (others.length === 0) return [apiKey.id];
  throw new UserError(`${text}: ${others.length + 1} keys have this label. Name a key by its id`);
};
