/** Authentication with API keys (RFC 6750). Every request reads its key from the table; we cache none. */
import { type ApiKey, findApiKey, isUsable } from "../api-keys/store.ts";
import { invalidApiKey, missingCredentials } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { ApiMiddleware, ApiRequest } from "./request.ts";

/** RFC 6750, section 2.1. The scheme may have any case (RFC 9110, section 11.1). */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

const findUsableKey = async ({ table, now, requestLog }: ApiRequest, secret: string): Promise<ApiKey> => {
  const apiKey = await findApiKey(table, secret);
  requestLog.apiKey = apiKey;
  if (!apiKey || !isUsable(apiKey, now)) throw new ApiError(invalidApiKey);
  return apiKey;
};

/** Only starts to read the API key: the next checks don't wait for it. */
export const authenticate: ApiMiddleware = {
  before: ({ event, context: { request } }) => {
    const secret = bearer.exec(event.headers.authorization ?? "")?.[1];
    if (secret === undefined) throw new ApiError(missingCredentials);
    request.apiKey = findUsableKey(request, secret);
    request.apiKey.catch(() => {}); // Until `authorize` awaits it, an unhandled rejection would end the process.
  },
  /** If the API key turns out to be wrong, the caller gets 401, whatever a later check has found meanwhile. */
  onError: async (request) => {
    await request.context.request.apiKey?.catch((earlier) => {
      request.error = earlier;
    });
  },
};
