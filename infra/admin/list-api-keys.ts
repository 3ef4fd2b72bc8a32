/** `list-api-keys`: lists the keys of an account, without their secrets. */
import * as store from "../../lib/api-keys/store.ts";
import { expiry } from "./api-key.ts";
import { defineCommand, openTableOf, reportRows, type Shell, uuid } from "./command.ts";

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
