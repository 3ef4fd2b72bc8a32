/**
 * Authenticates callers by API key (RFC 6750), and checks the key's scopes. Keys are not cached, so a revoked key fails
 * on its next request.
 */

import { type ApiKey, findApiKey, idOfSecret, isUsable } from "../api-keys/api-key.ts";
import { grants } from "../api-keys/scopes.ts";
import { invalidApiKey, lacksScope, missingCredentials } from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { Operation } from "./operations.ts";
import { type ApiMiddleware, headerValues, type Received } from "./request.ts";

/** RFC 6750, section 2.1. `Bearer` may have any case (RFC 9110, section 11.1). */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

/** The lookup of the API key runs in parallel with the other checks and the first reads. */
type Authenticated = { caller: Promise<ApiKey> };

type Authorized = { allowed: Promise<ApiKey> };

/** An `account_id` that isn't a UUID has no keys, so it gets the same 401 as a dead key. */
const findCaller = async ({ event, table, now, requestLog }: Received, secret: string): Promise<ApiKey> => {
  const apiKey = await findApiKey(table, idOfSecret(secret));
  requestLog.apiKey = apiKey;
  const account_id = event.pathParameters?.account_id?.toLowerCase();
  if (!apiKey || !isUsable(apiKey, now) || apiKey.account_id !== account_id) throw new ApiError(invalidApiKey);
  return apiKey;
};

export const authenticate = (request: Received): Authenticated => {
  const [credentials = "", ...others] = new Set(headerValues(request, "authorization"));
  const secret = others.length === 0 ? bearer.exec(credentials)?.[1] : undefined;
  if (secret === undefined) throw new ApiError(missingCredentials);
  return { caller: findCaller(request, secret) };
};

/** If the operation accepts keys for one domain, this check lets them pass, and `handle` compares the domain. */
export const authorize =
  ({ scope }: Operation, isPartialScope: (scope: string) => boolean = () => false) =>
  ({ caller }: Authenticated): Authorized => {
    const allowed = caller.then((apiKey) => {
      const { scopes } = apiKey;
      if (!grants(scopes, scope) && !scopes.some(isPartialScope)) throw new ApiError(lacksScope(scope));
      return apiKey;
    });
    return { allowed };
  };

/** A caller without a valid API key always gets 401, even if a later check has failed first. */
export const keyFirst: ApiMiddleware = {
  onError: async (request) => {
    const { caller, allowed }: Partial<Authenticated & Authorized & Received> = request.context.request;
    await (allowed ?? caller)?.catch((earlier) => {
      request.error = earlier;
    });
  },
};
