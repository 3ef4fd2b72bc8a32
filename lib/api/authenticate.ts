/** Who calls: bearer API keys (RFC 6750), looked up on every request. */
import { type ApiKey, findApiKey } from "../api-keys/store.ts";
import { invalidApiKey, missingCredentials } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { ApiRequest, Step } from "./request.ts";

/** RFC 6750, section 2.1: the scheme in any case (RFC 9110, section 11.1), one token of b68 characters. */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

/** The key as the caller has sent it. */
export const credentials: Step<ApiRequest, { secret: string }> = ({ event }) => {
  const secret = bearer.exec(event.headers.authorization ?? "")?.[1];
  if (secret === undefined) throw new ApiError(missingCredentials);
  return { secret };
};

const findValidKey = async ({ table, secret, now }: ApiRequest & { secret: string }): Promise<ApiKey> => {
  const apiKey = await findApiKey(table, secret, now);
  if (!apiKey) throw new ApiError(invalidApiKey);
  return apiKey;
};

/** Starts the look-up of the key. */
export const apiKey: Step<ApiRequest & { secret: string }, { apiKey: Promise<ApiKey> }> = (request) => ({
  apiKey: findValidKey(request),
});
