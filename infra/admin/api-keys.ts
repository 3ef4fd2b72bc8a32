/** `create-api-key`, `list-api-keys`, `rotate-api-key` and `revoke-api-key`. */
import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { type ApiKey, findApiKey, idOfSecret } from "../../lib/api-keys/api-key.ts";
import { parseScope, scopeForms } from "../../lib/api-keys/scopes.ts";
import * as store from "../../lib/api-keys/store.ts";
import { epochSeconds } from "../../lib/table/expiry.ts";
import type { Table } from "../../lib/table/table.ts";
import { daySeconds } from "../../lib/time/clock.ts";
import { describe, UserError } from "../cli/user-error.ts";
import { clockOf } from "./clock.ts";
import {
  collect,
  defineCommand,
  duration,
  inTurn,
  openTableOf,
  report,
  reportRows,
  type Shell,
  uuid,
} from "./command.ts";

const unusable = "no such key, or it was revoked or has expired";

const expiry = ({ expires_at }: Pick<ApiKey, "expires_at">): string | null =>
  expires_at === undefined ? null : new Date(expires_at * 1000).toISOString();

/**
 * Prints a key that isn't stored yet. A key that nobody saw must not work, so whoever stores it waits for this.
 *
 * @throws UserError if it can't be printed
 */
const printNewKey = async (
  shell: Shell,
  json: true | undefined,
  { secret, apiKey }: store.NewApiKey,
  replaces?: { id: string; expires_at: string | null },
): Promise<void> => {
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
  const kept = replaces ? ` ${replaces.id} works as before` : "";
  await shell.written().catch(() => {
    throw new UserError(`${id}: the new key could not be printed, so it was not created.${kept}`);
  });
};

const storePrinted = async <Result>({ apiKey }: store.NewApiKey, write: () => Promise<Result>): Promise<Result> => {
  try {
    return await write();
  } catch (error) {
    throw new UserError(`${apiKey.id}: revoke it, because the printed key may work or not: ${describe(error)}`);
  }
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
    .addOption(
      new Option("--scope <scope>", `a scope of the key, once or more: ${scopeForms}`)
        .argParser(collect(scope))
        .makeOptionMandatory(),
    )
    .option("--account <uuid>", "the account of the key: any UUID that you choose (default: a new one)", uuid)
    .option("--label <text>", "a name for people, such as the program that uses the key", labelOf)
    .option("--expires-in <time>", "expire after 90d, 12h or 30m (default: never)", duration)
    .addHelpText("after", "\nThe key is printed before it works: a key that could not be printed is not created.")
    .action(async ({ account, scope, label, expiresIn, local, json }) => {
      const table = openTableOf({ local });
      const now = (await clockOf(shell, table))();
      if (account && label && (await store.keysLabelled(table, account, label, now)).length > 0) {
        throw new UserError(`${label}: a key of the account already has this label`, 2);
      }
      const grant = {
        account_id: account ?? randomUUID(),
        scopes: scope,
        ...(label !== undefined && { label }),
        ...(expiresIn !== undefined && { expires_at: epochSeconds(now) + expiresIn }),
      };
      const created = store.newApiKey(grant, now);
      await printNewKey(shell, json, created);
      await storePrinted(created, () => store.storeApiKey(table, created.apiKey));
    });

export const listApiKeys = (shell: Shell) =>
  defineCommand("list-api-keys", "list the keys of an account, without their secrets")
    .requiredOption("--account <uuid>", "the account", uuid)
    .addHelpText("after", "\nThe list contains revoked keys, but no expired keys.")
    .action(async ({ account, local, json }) => {
      const table = openTableOf({ local });
      const apiKeys = await store.listApiKeys(table, account, (await clockOf(shell, table))());
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
  secrets: unique((text.match(/emk_[\w-]{43}/g) ?? []).map(idOfSecret)),
  digests: unique(
    (text.match(/(?<![\da-fA-F])[\da-fA-F]{64}(?![\da-fA-F])/g) ?? []).map((digest) => digest.toLowerCase()),
  ),
});

/** @throws UserError if `account_id` is missing, or the label doesn't name exactly one valid key */
const idOfLabel = async (table: Table, label: string, account_id: string | undefined, now: number): Promise<string> => {
  if (!account_id) throw new UserError(`${label}: neither an id nor a key. A label requires --account`, 2);
  const [apiKey, ...others] = await store.keysLabelled(table, account_id, label, now);
  if (!apiKey) throw new UserError(`${label}: ${unusable}`);
  if (others.length === 0) return apiKey.id;
  throw new UserError(`${label}: ${others.length + 1} keys have this label. Name a key by its id`);
};

/** The shell's history, the list of processes and npm's logs would keep a key that is an argument. */
const rejectSecrets = (operands: string[]): void => {
  if (!operands.some((operand) => operand.includes("emk_"))) return;
  throw new UserError(
    "A key is read from standard input only (operand -), because your shell and npm keep arguments. Nothing was changed, " +
      "but regard this key as leaked",
    2,
  );
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
    .argument("<key>", "the old key's id, or with --account its label; - finds the key or its id in standard input")
    .option("--account <uuid>", "the account of the label", uuid)
    .option("--grace <time>", "how long the old key still works: 7d, 12h, 30m, or 0 (default: 24h)", grace)
    .addHelpText(
      "after",
      "\nThe new key is printed before it replaces the old one. With --grace 0, the old one is revoked.",
    )
    .action(async (operand, { account, grace = daySeconds, local, json }) => {
      rejectSecrets([operand]);
      const table = openTableOf({ local });
      const text = await readText(operand, shell);
      const now = (await clockOf(shell, table))();
      const { secrets, digests } = keysIn(text);
      const [id = await idOfLabel(table, text, account, now), ...others] = secrets.length > 0 ? secrets : digests;
      if (others.length > 0) throw new UserError("The input names more than one key", 2);
      const rotation = await store.rotateApiKey(table, id, grace, now);
      if (!rotation) throw new UserError(`${id}: ${unusable}`);
      await printNewKey(shell, json, rotation, { id, expires_at: expiry(rotation.old) });
      if (await storePrinted(rotation, rotation.replace)) return;
      throw new UserError(
        `${id}: the key was changed meanwhile. The printed key was not created: run the command again`,
      );
    });

/** Returns false if there is no such key. */
const revokeOne = async (shell: Shell, json: true | undefined, table: Table, id: string, now: number) => {
  if (await store.revokeApiKey(table, id, now)) {
    report(shell, json, { id, revoked: true, revoked_at: new Date(now).toISOString() }, `revoked   ${id}`);
    return true;
  }
  const { revoked_at } = (await findApiKey(table, id)) ?? {};
  if (!revoked_at) return false;
  report(shell, json, { id, revoked: false, revoked_at }, `revoked   ${id}   (already, at ${revoked_at})`);
  return true;
};

export const revokeApiKey = (shell: Shell) =>
  defineCommand("revoke-api-key", "revoke keys from the next request on")
    .argument("<key...>", "an id, or with --account a label; - finds every key and id in standard input")
    .option("--account <uuid>", "the account of the labels", uuid)
    .addHelpText(
      "after",
      "\nThe exit status is 0 if none of the keys works afterwards, so you can run the command again.",
    )
    .action(async (operands, { account, local, json }) => {
      rejectSecrets(operands);
      const table = openTableOf({ local });
      const now = (await clockOf(shell, table))();
      const revoke = (id: string) => revokeOne(shell, json, table, id, now);
      const revokeNamedIn = async (operand: string): Promise<void> => {
        const text = await readText(operand, shell);
        const { secrets, digests } = keysIn(text);
        const isLabel = secrets.length + digests.length === 0;
        const named = isLabel ? [await idOfLabel(table, text, account, now)] : secrets;
        const unknown: string[] = [];
        for (const id of named) {
          if (!(await revoke(id))) shell.fail(new UserError(`${id}: no such key`));
        }
        for (const id of digests.filter((digest) => !named.includes(digest))) {
          if (!(await revoke(id))) unknown.push(id);
        }
        // Logs contain many SHA-256 digests that are no keys' ids, so it's an error only if we revoked nothing.
        if (named.length > 0 || unknown.length < digests.length) return;
        for (const id of unknown) shell.fail(new UserError(`${id}: no such key`));
      };
      await inTurn(shell, operands, revokeNamedIn);
    });
