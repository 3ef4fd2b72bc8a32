/** API keys as an operator names and sees them. */
import { type ApiKey, idOfSecret, listApiKeys, type NewApiKey } from "../../lib/api-keys/store.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../user-error.ts";
import { report, type Shell } from "./command.ts";

export const noSuchKey = "no such key, or it has ended already";

/** When a key ends by itself, as text; `null` for one that does not. */
export const expiry = ({ expires_at }: Pick<ApiKey, "expires_at">): string | null =>
  expires_at === undefined ? null : new Date(expires_at * 1000).toISOString();

/** Returns the account's keys with this label. Neither revoked nor expired keys are among them. */
export const keysLabelled = async (
  table: Table,
  account_id: string,
  label: string,
  now: number,
): Promise<ApiKey[]> => {
  const apiKeys = await listApiKeys(table, account_id, now);
  return apiKeys.filter((apiKey) => apiKey.label === label && !apiKey.revoked_at);
};

/** Shows a new key, once, with what a command says beside it. */
export const reportNewKey = (
  shell: Shell,
  json: true | undefined,
  { secret, apiKey }: NewApiKey,
  beside: { fields: object; lines: string[] } = { fields: {}, lines: [] },
): void => {
  const { id, account_id, scopes } = apiKey;
  const expires_at = expiry(apiKey);
  const lines = [
    `API key   ${secret}   (shown this once: only its hash is kept)`,
    `id        ${id}   (revokes it)`,
    `account   ${account_id}`,
    `scopes    ${scopes.join(" ")}`,
    `expires   ${expires_at ?? "never"}`,
    ...beside.lines,
  ];
  report(shell, json, { api_key: secret, id, account_id, scopes, expires_at, ...beside.fields }, ...lines);
};

/** A key, or its id. A key ends after 43 characters, whatever follows. */
const keyOrId = /emk_[\w-]{43}|(?<![\da-fA-F])[\da-fA-F]{64}(?![\da-fA-F])/g;

/**
 * Returns the ids of all keys that a text names: by keys and ids anywhere in the text, such as in a line of
 * `list-api-keys` or `Authorization: Bearer emk_…`, or by the label that is the whole text.
 *
 * @throws UserError if the text names no key, or its label names several
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
