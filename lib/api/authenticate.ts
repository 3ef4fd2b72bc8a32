/** Who calls, and what they may do: bearer API keys (RFC 6750), looked up on every request. */
import { type ApiKey, findApiKey } from "../api-keys/store.ts";
import { ApiError } from "./errors.ts";
import type { Operation } from "./operations.ts";
import type { ApiMiddleware } from "./request.ts";

/** RFC 6750, section 2.1: the scheme in any case (RFC 9110, section 11.1), one token of b68 characters. */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

const missing = () =>
  new ApiError(401, "Missing or malformed bearer token", { "WWW-Authenticate": "Bearer" });

/** One answer for a key that is unknown, revoked, expired or another account's: they can't be told apart. */
const invalid = () =>
  new ApiError(401, "Invalid API key", { "WWW-Authenticate": 'Bearer error="invalid_token"' });

const forbidden = (scope: string) =>
  new ApiError(403, `The API key lacks the scope ${scope}`, {
    "WWW-Authenticate": 'Bearer error="insufficient_scope"',
  });

export const grants = ({ scopes }: ApiKey, scope: string): boolean =>
  scopes.includes("*") || scopes.includes(scope);

/** Starts the look-up of the key; {@link authorize} waits for it. */
export const authenticate = (): ApiMiddleware => ({
  before: ({ event, context: { state } }) => {
    const secret = bearer.exec(event.headers.authorization ?? "")?.[1];
    if (secret === undefined) throw missing();
    state.apiKey = findApiKey(state.table, secret, state.now);
    state.apiKey.catch(() => {}); // reported by authorize, unless an earlier error is
  },
});

/** Whether a principal may see what was prefetched, where the operation's own scope does not settle it. */
export type Permit = (principal: ApiKey, prefetched: unknown) => boolean;

/** Lets a request pass only with a valid key of its account that has the scope. */
export const authorize = (operation: Operation, permits?: Permit): ApiMiddleware => ({
  before: async ({ context: { state } }) => {
    const principal = await state.apiKey;
    if (!principal) throw invalid();
    if (state.path().account_id !== principal.account_id) throw invalid();
    const granted =
      grants(principal, operation.scope) || (permits?.(principal, await state.prefetched) ?? false);
    if (!granted) throw forbidden(operation.scope);
    state.principal = principal;
  },
});
