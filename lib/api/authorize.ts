/** Authorization: an API key gives access to one account. The key's scopes restrict the operations and the data. */
import { grants } from "../api-keys/scopes.ts";
import type { ApiKey } from "../api-keys/store.ts";
import { invalidApiKey, lacksScope } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { Operation } from "./operations.ts";
import type { ApiMiddleware, ApiRequest } from "./request.ts";

/**
 * Checks that the API key belongs to the account in the path, and has the operation's scope or a partial scope. A
 * partial scope covers a part of the data, for example one domain. `authorize` does not read the requested item, so
 * for a partial scope, `handle` must check the item's domain.
 */
export const authorize = (
  { scope }: Operation,
  isPartialScope: (scope: string) => boolean = () => false,
): ApiMiddleware => {
  const allowedKey = async (request: ApiRequest): Promise<ApiKey> => {
    const apiKey = await request.apiKey;
    if (apiKey.account_id !== request.path.account_id) throw new ApiError(invalidApiKey);
    const { scopes } = apiKey;
    if (!grants(scopes, scope) && !scopes.some(isPartialScope)) throw new ApiError(lacksScope(scope));
    return apiKey;
  };
  return {
    before: ({ context: { request } }) => {
      request.apiKey = allowedKey(request);
      request.apiKey.catch(() => {}); // Until `run` awaits it, an unhandled rejection would end the process.
    },
  };
};
