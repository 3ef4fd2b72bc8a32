/** Authorization: an API key gives access to one account. The key's scopes restrict the operations and the data. */
import { grants } from "../api-keys/scopes.ts";
import type { ApiKey } from "../api-keys/store.ts";
import { invalidApiKey, lacksScope } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { AccountPath, Operation } from "./operations.ts";
import type { ApiRequest, Step } from "./request.ts";

type WithKey = ApiRequest & { apiKey: Promise<ApiKey> };

/** Checks that the API key belongs to the account in the path. */
export const account: Step<"account", WithKey & { path: AccountPath }> = async (request) => {
  const apiKey = await request.apiKey;
  if (apiKey.account_id !== request.path.account_id) throw new ApiError(invalidApiKey);
  request.requestLog.apiKey = apiKey;
};

/** Returns whether an API key without the operation's scope may still read the prefetched data. */
export type Permit<Prefetched> = (apiKey: ApiKey, prefetched: Prefetched) => boolean;

/** Checks that the API key has the operation's scope, unless a {@link Permit} leaves this to the step `permit`. */
export const scope =
  (operation: Operation, permits: Permit<never> | undefined): Step<"scope", WithKey> =>
  async ({ apiKey }) => {
    const { scopes } = await apiKey;
    if (!permits && !grants(scopes, operation.scope)) throw new ApiError(lacksScope(operation.scope));
  };

/** Throws if the API key lacks the operation's scope, unless `permits` allows it to read the prefetched data. */
export const permit =
  <Prefetched>(
    operation: Operation,
    permits: Permit<Prefetched> | undefined,
  ): Step<"permit", WithKey & { prefetched: Promise<Prefetched> }> =>
  async (request) => {
    const apiKey = await request.apiKey;
    if (!permits || grants(apiKey.scopes, operation.scope)) return;
    if (!permits(apiKey, await request.prefetched)) throw new ApiError(lacksScope(operation.scope));
  };
