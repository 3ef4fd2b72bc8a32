/** `create-api-key`, `list-api-keys`, `rotate-api-key` and `revoke-api-key`. */
import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { parseScope, scopeForms, scopes } from "../../lib/api-keys/scopes.ts";
import * as store from "../../lib/api-keys/store.ts";
import { epochSeconds } from "../../lib/table/expiry.ts";
import type { Table } from "../../lib/table/table.ts";
import { daySeconds } from "../../lib/time/clock.ts";
import { UserError } from "../cli/user-error.ts";
import { collect, defineCommand, duration, openTableOf, report, reportRows, type Shell, uuid } from "./command.ts";

const noSuchKey = "no such key, or it was revoked or has expired";

const expiry = ({ expires_at }: Pick<store.ApiKey, "expires_at">): string | null =>
  expires_at === undefined ? null : new Date(expires_at * 1000).toISOString();

/** A new key may take the label of a revoked one, so revoked keys don't count. */
const keysLabelled = async (table: Table, account_id: string, label: string, now: number): Promise<store.ApiKey[]> => {
  const apiKeys = await store.listApiKeys(table, account_id, now);
  return apiKeys.filter((apiKey) => apiKey.label === label && !apiKey.revoked_at);
};

const reportNewKey = (
  shell: Shell,
  json: true | undefined,
  { secret, apiKey }: store.NewApiKey,
  replaces?: { id: string; expires_at: string | null },
): void => {
  const { id, account_id, scopes } = apiKey;
  const expires_at = expiry(apiKey);
  const lines = [
    `API key   ${secret}   (shown only now, because only its digest is stored)`,
    `id        ${id}   (revoke the key with this id)`,
    `account   ${account_id}`,
    `scopes    ${scopes.join(" ")}`,
    `expires   ${expires_at ?? "never"}`,
    ...(replaces ? [`replaces  ${replaces.id}   (works until ${replaces.expires_at})`] : []),
  ];
  report(shell, json, { api_key: secret, id, account_id, scopes, expires_at, replaces }, ...lines);
};

const scope = (text: string): string => {
  const parsed = parseScope(text);
  if (parsed) return parsed;
  throw new InvalidArgumentError(`It takes ${scopeForms}.`);
};

const labelOf = (text: string): string => {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It takes a text that is not empty.");
};

export const createApiKey = (shell: Shell) =>
  defineCommand("create-api-key", "create a key and print it (it cannot be shown again)")
    .option("--account <uuid>", "the account of the key: any UUID that you choose (default: a new one)", uuid)
    .option("--scope <scope>", `a scope of the key, once or more: ${scopeForms} (default: *)`, collect(scope))
    .option("--label <text>", "a name for people, such as the program that uses the key", labelOf)
    .option("--expires-in <time>", "expire after 90d, 12h or 30m (default: never)", duration)
    .action(async ({ account, scope, label, expiresIn, local, json }) => {
      const now = Date.now();
      const table = openTableOf({ local });
      if (account && label && (await keysLabelled(table, account, label, now)).length > 0) {
        throw new UserError(`${label}: a key of the account already has this label`, 2);
      }
      const grant = {
        account_id: account ?? randomUUID(),
        scopes: scope ?? [scopes.everything],
        ...(label !== undefined && { label }),
        ...(expiresIn !== undefined && { expires_at: epochSeconds(now) + expiresIn }),
      };
      reportNewKey(shell, json, await store.createApiKey(table, grant, now));
    });

export const listApiKeys = (shell: Shell) =>
  defineCommand("list-api-keys", "list the keys of an account, without their secrets")
    .requiredOption("--account <uuid>", "the account", uuid)
    .addHelpText("after", "\nThe list contains revoked keys, but no expired keys.")
    .action(async ({ account, local, json }) => {
      const apiKeys = await store.listApiKeys(openTableOf({ local }), account, Date.now());
      const rows = apiKeys.map((apiKey) => ({
        id: apiKey.id,
        label: apiKey.label ?? null,
        scopes: apiKey.scopes,
        created_at: apiKey.created_at,
        expires_at: expiry(apiKey),
        revoked_at: apiKey.revoked_at ?? null,
      }));
      reportRows(shell, json, rows);
    });

const unique = (ids: string[]): string[] => [...new Set(ids)];

/** Finds API keys and their ids in a text, such as a log, and also other SHA-256 digests, which look like ids. */
const keysIn = (text: string): { secrets: string[]; digests: string[] } => ({
  secrets: unique((text.match(/emk_[\w-]{43}/g) ?? []).map(store.idOfSecret)),
  digests: unique(
    (text.match(/(?<![\da-fA-F])[\da-fA-F]{64}(?![\da-fA-F])/g) ?? []).map((digest) => digest.toLowerCase()),
  ),
});

/** @throws UserError if `account_id` is missing, or the label doesn't name exactly one valid key */
const idOfLabel = async (table: Table, label: string, account_id: string | undefined, now: number): Promise<string> => {
  if (!account_id) throw new UserError(`${label}: neither an id nor a key. A label requires --account`, 2);
  const [apiKey, ...others] = await keysLabelled(table, account_id, label, now);
  if (!apiKey) throw new UserError(`${label}: ${noSuchKey}`);
  if (others.length === 0) return apiKey.id;
  throw new UserError(`${label}: ${others.length + 1} keys have this label. Name a key by its id`);
};

/** You can pipe a whole leaked log into the command, which finds the API keys in it. */
const readText = async (operand: string, { input }: Shell): Promise<string> => {
  const found = (operand === "-" ? await text(input) : operand).trim();
  if (found === "") throw new UserError("Standard input is empty", 2);
  const { secrets, digests } = keysIn(found);
  if (secrets.length + digests.length > 0 || !found.includes("\n")) return found;
  throw new UserError("Standard input names no key: it contains neither emk_… nor an id", 2);
};

const grace = (value: string): number => (value === "0" ? 0 : duration(value));

export const rotateApiKey = (shell: Shell) =>
  defineCommand("rotate-api-key", "replace a key; the old key expires after a grace time")
    .argument("<key>", "the old key, its id, or with --account its label; - reads it from standard input")
    .option("--account <uuid>", "the account of the label", uuid)
    .option("--grace <time>", "how long the old key still works: 7d, 12h, 30m, or 0 (default: 24h)", grace)
    .action(async (operand, { account, grace = daySeconds, local, json }) => {
      const table = openTableOf({ local });
      const now = Date.now();
      const text = await readText(operand, shell);
      const { secrets, digests } = keysIn(text);
      const [id = await idOfLabel(table, text, account, now), ...others] = secrets.length > 0 ? secrets : digests;
      if (others.length > 0) throw new UserError("The input names more than one key", 2);
      const rotated = await store.rotateApiKey(table, id, grace, now);
      if (!rotated) throw new UserError(`${id}: ${noSuchKey}`);
      reportNewKey(shell, json, rotated, { id, expires_at: expiry(rotated.old) });
    });

export const revokeApiKey = (shell: Shell) =>
  defineCommand("revoke-api-key", "revoke keys from the next request on")
    .argument("<key...>", "an id, a key, or with --account a label; - finds every key in standard input")
    .option("--account <uuid>", "the account of the labels", uuid)
    .action(async (operands, { account, local, json }) => {
      const table = openTableOf({ local });
      const now = Date.now();
      const revoke = async (id: string): Promise<boolean> => {
        const revoked = await store.revokeApiKey(table, id, now);
        if (revoked) report(shell, json, { id, revoked }, `revoked   ${id}`);
        return revoked;
      };
      const revokeNamedIn = async (operand: string): Promise<void> => {
        const text = await readText(operand, shell);
        const { secrets, digests } = keysIn(text);
        const isLabel = secrets.length + digests.length === 0;
        const named = isLabel ? [await idOfLabel(table, text, account, now)] : secrets;
        for (const id of named) {
          if (!(await revoke(id))) shell.fail(new UserError(`${id}: ${noSuchKey}`));
        }
        const unknown: string[] = [];
        for (const id of digests.filter((digest) => !named.includes(digest))) {
          if (!(await revoke(id))) unknown.push(id);
        }
        // Logs contain many SHA-256 digests that are no keys' ids, so it's an error only if we revoked nothing.
        if (named.length > 0 || unknown.length < digests.length) return;
        for (const id of unknown) shell.fail(new UserError(`${id}: ${noSuchKey}`));
      };
      for (const operand of operands) await revokeNamedIn(operand).catch(shell.fail);
    });
