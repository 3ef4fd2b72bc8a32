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

/**
 * Checks that an API key has the operation's scope, or a scope for a part of the data, for example for one domain.
 * The step `scope` does not read the requested item. For a partial scope, `handle` must check the item's domain.
 */
export const scope =
  (operation: Operation, isPartialScope: (scope: string) => boolean = () => false): Step<"scope", WithKey> =>
  async ({ apiKey }) => {
    const { scopes } = await apiKey;
    if (!grants(scopes, operation.scope) && !scopes.some(isPartialScope)) {
      throw new ApiError(lacksScope(operation.scope));
    }
  };
