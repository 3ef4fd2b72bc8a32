/** Authorization: an API key opens one account, and its scopes say which operations and which data. */
import { grants } from "../api-keys/scopes.ts";
import type { ApiKey } from "../api-keys/store.ts";
import { invalidApiKey, lacksScope } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { Operation } from "./operations.ts";
import type { ApiMiddleware, ApiRequest } from "./request.ts";

/**
 * The API key must belong to the account in the path, and have the operation's scope or a partial one, such as that of a
 * domain. Only `handle` reads the item and knows its domain, so it must check a partial scope again.
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
