/** Turns errors into responses, and gives every response its request id. */
import { toApiError } from "./errors.ts";
import type { ApiMiddleware } from "./request.ts";
import { errorBody, requestIdHeader, toProxyResult } from "./response.ts";

export const errorHandler: ApiMiddleware = {
  after: ({ context, response }) => {
    if (response?.headers) response.headers[requestIdHeader] = context.request.requestLog.requestId;
  },
  onError: (request) => {
    if (!request.error) return;
    const { status, message, headers } = toApiError(request.error);
    request.response = toProxyResult({
      status,
      headers: { ...headers, [requestIdHeader]: request.context.request.requestLog.requestId },
      body: errorBody({ message }),
    });
  },
};
