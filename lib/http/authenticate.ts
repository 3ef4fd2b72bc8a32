/** Authenticates callers by API key (RFC 6750). Keys are not cached, so a revoked key fails on its next request. */
import { type ApiKey, findApiKey, idOfSecret, isUsable } from "../api-keys/store.ts";
import { invalidApiKey, missingCredentials } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { ApiMiddleware, ApiRequest } from "./request.ts";

/** RFC 6750, section 2.1. `Bearer` may have any case (RFC 9110, section 11.1). */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

const findUsableKey = async ({ table, now, requestLog }: ApiRequest, secret: string): Promise<ApiKey> => {
  const apiKey = await findApiKey(table, idOfSecret(secret));
  requestLog.apiKey = apiKey;
  if (!apiKey || !isUsable(apiKey, now)) throw new ApiError(invalidApiKey);
  return apiKey;
};

/** Starts the lookup of the API key, but doesn't wait for it: the other checks and the first reads run meanwhile. */
export const authenticate: ApiMiddleware = {
  before: ({ event, context: { request } }) => {
    const secret = bearer.exec(event.headers.authorization ?? "")?.[1];
    if (secret === undefined) throw new ApiError(missingCredentials);
    request.apiKey = findUsableKey(request, secret);
    request.apiKey.catch(() => {}); // Prevents an unhandled rejection before `authorize` awaits the promise.
  },
  /** A caller without a valid API key always gets 401, even if another check has failed first. */
  onError: async (request) => {
    await request.context.request.apiKey?.catch((earlier) => {
      request.error = earlier;
    });
  },
};
