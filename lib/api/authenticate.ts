/** Authentication with bearer API keys (RFC 6750). Each request reads the API key from the table. */
import { type ApiKey, findApiKey, isUsable } from "../api-keys/store.ts";
import { invalidApiKey, missingCredentials } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { ApiMiddleware, ApiRequest } from "./request.ts";

/** RFC 6750, section 2.1: the scheme `Bearer` and a token. `Bearer` is case-insensitive (RFC 9110, section 11.1). */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

const findUsableKey = async ({ table, now, requestLog }: ApiRequest, secret: string): Promise<ApiKey> => {
  const apiKey = await findApiKey(table, secret);
  requestLog.apiKey = apiKey;
  if (!apiKey || !isUsable(apiKey, now)) throw new ApiError(invalidApiKey);
  return apiKey;
};

/** Takes the secret from the Authorization header, and starts to read the secret's API key from the table. */
export const authenticate: ApiMiddleware = {
  before: ({ event, context: { request } }) => {
    const secret = bearer.exec(event.headers.authorization ?? "")?.[1];
    if (secret === undefined) throw new ApiError(missingCredentials);
    request.apiKey = findUsableKey(request, secret);
    request.apiKey.catch(() => {}); // Until `authorize` awaits it, an unhandled rejection would end the process.
  },
  /** Other checks do not wait for the read of the API key. If the API key is wrong, its error replaces their error. */
  onError: async (request) => {
    await request.context.request.apiKey?.catch((earlier) => {
      request.error = earlier;
    });
  },
};
