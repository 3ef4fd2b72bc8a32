/** Authorization: an API key belongs to one account, and its scopes say which operations and data it may use. */
import { grants } from "../api-keys/scopes.ts";
import type { ApiKey } from "../api-keys/store.ts";
import { invalidApiKey, lacksScope } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { Operation } from "./operations.ts";
import type { ApiMiddleware, ApiRequest } from "./request.ts";

/**
 * The API key must belong to the account in the path, and have the operation's scope or a partial one, such as a
 * domain's. `handle` must check a partial scope again, because only `handle` knows the domain of the item.
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
      request.apiKey.catch(() => {}); // Prevents an unhandled rejection before `run` awaits the promise.
    },
  };
};
