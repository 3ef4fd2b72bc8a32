/** `rotate-api-key`: a new key in place of an old one, which ends after a grace time. */
import * as store from "../../lib/api-keys/store.ts";
import { expiry, idOf, noSuchKey, reportNewKey } from "./api-key.ts";
import { defineCommand, duration, openTableOf, readOperands, type Shell, uuid } from "./command.ts";

const defaultGrace = 24 * 60 * 60;

const grace = (value: string): number => (value === "0" ? 0 : duration(value));

export const rotateApiKey = (shell: Shell) =>
  defineCommand("rotate-api-key", "make a key like an old one, which ends after a grace time")
    .argument(
      "<key>",
      "the old one: its id, the key itself, or with --account its label; - reads it from standard input",
    )
    .option("--account <uuid>", "the account whose labels are meant", uuid)
    .option("--grace <time>", "how long the old key still works: 7d, 12h, 30m, or 0 (default: 24h)", grace)
    .action(async (operand, { account, grace = defaultGrace, local, json }) => {
      const table = openTableOf({ local });
      const now = Date.now();
      const [name = ""] = await readOperands([operand], shell);
      const id = await idOf(table, name, account, now);
      const rotated = await store.rotateApiKey(table, id, grace, now);
      if (!rotated) throw new Error(`${id}: ${noSuchKey}`);
      const ends = expiry(rotated.old);
      reportNewKey(shell, json, rotated, {
        fields: { replaces: { id, expires_at: ends } },
        lines: [`replaces  ${id}   (which works until ${ends})`],
      });
    });
