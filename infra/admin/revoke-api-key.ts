/** `revoke-api-key`: ends keys, from the next request on. */
import { parseArgs } from "node:util";
import { revokeApiKey } from "../../lib/api-keys/store.ts";
import { openTableOf, print, UsageError } from "./command.ts";

export const usage = "revoke-api-key [--local] [--json] ID …";

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { local: { type: "boolean" }, json: { type: "boolean" } },
  });
  if (positionals.length === 0) throw new UsageError(`No key is named: ${usage}`);
  const table = openTableOf(values);
  let status = 0;
  for (const id of positionals) {
    const revoked = await revokeApiKey(table, id.toLowerCase(), Date.now());
    if (revoked) print(values.json, { id, revoked }, `revoked   ${id}`);
    else {
      console.error(`${id}: no such key, or it was revoked before`);
      status = 1;
    }
  }
  return status;
};
