/** `list-api-keys`: the keys of an account, but never the secrets. */
import * as store from "../../lib/api-keys/store.ts";
import { expiry } from "./api-key.ts";
import { defineCommand, openTableOf, reportRows, type Shell, uuid } from "./command.ts";

export const listApiKeys = (shell: Shell) =>
  defineCommand("list-api-keys", "show an account's keys and what they may do, but never the secrets")
    .requiredOption("--account <uuid>", "the account", uuid)
    .addHelpText("after", "\nA key that was revoked is shown; one that has expired is not.")
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
