/** Turns what an operation answers, or the error that ended it, into the response of the function. */
import { toApiError } from "./errors.ts";
import type { ApiMiddleware } from "./request.ts";
import { type Response, toProxyResult } from "./response.ts";

export const respond = (): ApiMiddleware => ({
  after: (request) => {
    request.response = toProxyResult(request.response as unknown as Response);
  },
  onError: (request) => {
    const { status, message, headers } = toApiError(request.error as Error);
    request.response = toProxyResult({ status, headers, body: JSON.stringify({ message }) });
  },
});
