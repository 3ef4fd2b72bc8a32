/** `rotate-api-key`: replaces a key. The old key expires after a grace time. */

import * as store from "../../lib/api-keys/store.ts";
import { daySeconds } from "../../lib/duration.ts";
import { UserError } from "../user-error.ts";
import { expiry, idsOf, noSuchKey, reportNewKey } from "./api-key.ts";
import { defineCommand, duration, openTableOf, readOperands, type Shell, uuid } from "./command.ts";

const grace = (value: string): number => (value === "0" ? 0 : duration(value));

export const rotateApiKey = (shell: Shell) =>
  defineCommand("rotate-api-key", "replace a key; the old key expires after a grace time")
    .argument("<key>", "the old key, its id, or with --account its label; - reads it from standard input")
    .option("--account <uuid>", "the account of the label", uuid)
    .option("--grace <time>", "how long the old key still works: 7d, 12h, 30m, or 0 (default: 24h)", grace)
    .action(async (operand, { account, grace = daySeconds, local, json }) => {
      const table = openTableOf({ local });
      const now = Date.now();
      const text = (await readOperands([operand], shell)).join("\n");
      const [id = "", ...others] = await idsOf(table, text, account, now);
      if (others.length > 0) throw new UserError("The input names more than one key", 2);
      const rotated = await store.rotateApiKey(table, id, grace, now);
      if (!rotated) throw new UserError(`${id}: ${noSuchKey}`);
      const ends = expiry(rotated.old);
      reportNewKey(shell, json, rotated, {
        fields: { replaces: { id, expires_at: ends } },
        lines: [`replaces  ${id}   (works until ${ends})`],
      });
    });
