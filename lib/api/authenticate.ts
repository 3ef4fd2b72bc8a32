/** Authentication with bearer API keys (RFC 6750). Each request reads the API key from the table. */
import { type ApiKey, findApiKey } from "../api-keys/store.ts";
import type { Table } from "../table/table.ts";
import { invalidApiKey, missingCredentials } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { ApiMiddleware } from "./request.ts";

/** RFC 6750, section 2.1: the scheme `Bearer` and a token. `Bearer` is case-insensitive (RFC 9110, section 11.1). */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

const findValidKey = async (table: Table, secret: string, now: number): Promise<ApiKey> => {
  const apiKey = await findApiKey(table, secret, now);
  if (!apiKey) throw new ApiError(invalidApiKey);
  return apiKey;
};

/** Takes the secret from the Authorization header, and starts to read the secret's API key from the table. */
export const authenticate: ApiMiddleware = {
  before: ({ event, context: { request } }) => {
    const secret = bearer.exec(event.headers.authorization ?? "")?.[1];
    if (secret === undefined) throw new ApiError(missingCredentials);
    request.apiKey = findValidKey(request.table, secret, request.now);
  },
  /** Other checks do not wait for the read of the API key. If the API key is wrong, its error replaces their error. */
  onError: async (request) => {
    await request.context.request.apiKey?.catch((earlier) => {
      request.error = earlier;
    });
  },
};
