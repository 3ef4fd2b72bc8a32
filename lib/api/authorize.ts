/** What a caller may do: in their own account only, and by the scopes of their key. */
import { grants } from "../api-keys/scopes.ts";
import type { ApiKey } from "../api-keys/store.ts";
import { invalidApiKey, lacksScope } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { AccountPath, Operation } from "./operations.ts";
import type { ApiRequest, Check } from "./request.ts";

type WithKey = ApiRequest & { apiKey: Promise<ApiKey> };

/** The key is one of the account that the path names. */
export const account: Check<WithKey & { path: AccountPath }> = async ({ apiKey, path, requestLog }) => {
  const principal = await apiKey;
  if (principal.account_id !== path.account_id) throw new ApiError(invalidApiKey);
  requestLog.principal = principal;
};

/** Whether a key that lacks the operation's scope may still have what was prefetched. */
export type Permit<Prefetched> = (apiKey: ApiKey, prefetched: Prefetched) => boolean;

/** The key has the scope; where there is a {@link permit}, that decides later. */
export const scope =
  (operation: Operation, permits: Permit<never> | undefined): Check<WithKey> =>
  async ({ apiKey }) => {
    const { scopes } = await apiKey;
    if (!permits && !grants(scopes, operation.scope)) throw new ApiError(lacksScope(operation.scope));
  };

/** The key has the scope, or may have what was prefetched. */
export const permit =
  <Prefetched>(
    operation: Operation,
    permits: Permit<Prefetched> | undefined,
  ): Check<WithKey & { prefetched: Promise<Prefetched> }> =>
  async ({ apiKey, prefetched }) => {
    const principal = await apiKey;
    if (!permits || grants(principal.scopes, operation.scope)) return;
    const isPermitted = await prefetched.then((found) => permits(principal, found));
    if (!isPermitted) throw new ApiError(lacksScope(operation.scope));
  };
