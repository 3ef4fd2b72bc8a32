/** `revoke-api-key`: revokes keys. */
import * as store from "../../lib/api-keys/store.ts";
import { UserError } from "../user-error.ts";
import { idsOf, noSuchKey } from "./api-key.ts";
import { defineCommand, forEachOperand, openTableOf, report, type Shell, uuid } from "./command.ts";

export const revokeApiKey = (shell: Shell) =>
  defineCommand("revoke-api-key", "revoke keys from the next request on")
    .argument("<key...>", "an id, a key, or with --account a label; - reads them from standard input")
    .option("--account <uuid>", "the account of the labels", uuid)
    .action(async (operands, { account, local, json }) => {
      const table = openTableOf({ local });
      const now = Date.now();
      await forEachOperand(shell, operands, async (text) => {
        await forEachOperand(shell, await idsOf(table, text, account, now), async (id) => {
          const revoked = await store.revokeApiKey(table, id, now);
          if (!revoked) throw new UserError(`${id}: ${noSuchKey}`);
          report(shell, json, { id, revoked }, `revoked   ${id}`);
        });
      });
    });
