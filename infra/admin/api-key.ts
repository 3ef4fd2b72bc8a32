/** API keys as an operator names and sees them. */
import { type ApiKey, idOfSecret, listApiKeys, type NewApiKey } from "../../lib/api-keys/store.ts";
import type { Table } from "../../lib/table/table.ts";
import { report, type Shell } from "./command.ts";

export const noSuchKey = "no such key, or it has ended already";

/** When a key ends by itself, as text; `null` for one that does not. */
export const expiry = ({ expires_at }: Pick<ApiKey, "expires_at">): string | null =>
  expires_at === undefined ? null : new Date(expires_at * 1000).toISOString();

/** Shows a new key, once, with what a command says beside it. */
export const reportNewKey = (
  shell: Shell,
  json: true | undefined,
  { secret, apiKey }: NewApiKey,
  beside: { fields: object; lines: string[] } = { fields: {}, lines: [] },
): void => {
  const { id, account_id, scopes } = apiKey;
  const expires_at = expiry(apiKey);
  const words = [
    `API key   ${secret}   (shown this once: only its hash is kept)`,
    `id        ${id}   (revokes it)`,
    `account   ${account_id}`,
    `scopes    ${scopes.join(" ")}`,
    `expires   ${expires_at ?? "never"}`,
    ...beside.lines,
  ];
  report(
    shell,
    json,
    { api_key: secret, id, account_id, scopes, expires_at, ...beside.fields },
    words.join("\n"),
  );
};

/**
 * Returns the id of the key that an operator names: by its id, by the key itself, or by its label in an account.
 * Ids and keys are found within other text, too: a line of `list-api-keys`, or `Authorization: Bearer emk_…`.
 *
 * @throws Error when no key, or more than one, has the label
 */
export const idOf = async (
  table: Table,
  name: string,
  account_id: string | undefined,
  now: number,
): Promise<string> => {
  const [secret] = /emk_[\w-]+/.exec(name) ?? [];
  if (secret) return idOfSecret(secret);
  const [id] = /\b[\da-f]{64}\b/i.exec(name) ?? [];
  if (id) return id.toLowerCase();
  if (!account_id)
    throw new Error(`${name}: neither an id nor a key; a label needs the key's --account beside it`);
  const apiKeys = await listApiKeys(table, account_id, now);
  const [found, ...others] = apiKeys.filter(({ label, revoked_at }) => label === name && !revoked_at);
  if (!found) throw new Error(`${name}: ${noSuchKey}`);
  if (others.length === 0) return found.id;
  throw new Error(
    `${name}: ${others.length + 1} keys have this label; name one by its id, as list-api-keys shows it`,
  );
};
