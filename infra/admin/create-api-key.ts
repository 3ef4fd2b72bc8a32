/** `create-api-key`: creates a key and prints it. */
import { randomUUID } from "node:crypto";
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { parseScope, scopeForms, scopes } from "../../lib/api-keys/scopes.ts";
import * as store from "../../lib/api-keys/store.ts";
import { epochSeconds } from "../../lib/table/expiry.ts";
import { UserError } from "../user-error.ts";
import { keysLabelled, reportNewKey } from "./api-key.ts";
import { collect, defineCommand, duration, openTableOf, type Shell, uuid } from "./command.ts";

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
