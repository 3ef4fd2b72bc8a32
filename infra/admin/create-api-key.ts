/** `create-api-key`: makes a key and prints it, once. */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { everything, parseScope } from "../../lib/api-keys/scopes.ts";
import { createApiKey } from "../../lib/api-keys/store.ts";
import { epochSeconds } from "../../lib/table/expiry.ts";
import { openTableOf, print, UsageError, uuidOption } from "./command.ts";

const seconds = { m: 60, h: 60 * 60, d: 24 * 60 * 60 };

/** "90d" from now, in epoch seconds. */
const expiry = (text: string, now: number): number => {
  const [, amount, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (!amount || !unit)
    throw new UsageError(`--expires-in takes a time such as 90d, 12h or 30m, not ${text}`);
  return epochSeconds(now) + Number(amount) * seconds[unit as keyof typeof seconds];
};

const scope = (text: string): string => {
  const parsed = parseScope(text);
  if (parsed) return parsed;
  throw new UsageError(
    `--scope takes *, messages:read:all, messages:read:{example.com} or accounts:members:add, not ${text}`,
  );
};

export const usage =
  "create-api-key [--account UUID] [--scope SCOPE …] [--label TEXT] [--expires-in 90d] [--local] [--json]";

export const run = async (args: string[]): Promise<number> => {
  const { values } = parseArgs({
    args,
    options: {
      account: { type: "string" },
      scope: { type: "string", multiple: true, default: [everything] },
      label: { type: "string" },
      "expires-in": { type: "string" },
      local: { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  const now = Date.now();
  const grant = {
    account_id: values.account === undefined ? randomUUID() : uuidOption("account", values.account),
    scopes: values.scope.map(scope),
    ...(values.label !== undefined && { label: values.label }),
    ...(values["expires-in"] !== undefined && { expires_at: expiry(values["expires-in"], now) }),
  };
  const { secret, apiKey } = await createApiKey(openTableOf(values), grant, now);
  const { id, account_id, scopes, expires_at } = apiKey;
  const expires = expires_at === undefined ? null : new Date(expires_at * 1000).toISOString();
  print(
    values.json,
    { api_key: secret, id, account_id, scopes, expires_at: expires },
    [
      `API key   ${secret}   (shown this once: only its hash is kept)`,
      `id        ${id}   (revokes it)`,
      `account   ${account_id}`,
      `scopes    ${scopes.join(" ")}`,
      `expires   ${expires ?? "never"}`,
    ].join("\n"),
  );
  return 0;
};
