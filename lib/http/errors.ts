/** Turns errors into responses. Callers see the text of an ApiError; any other error becomes a bare 500 or 503. */
import { isUnavailable } from "../table/retry.ts";
import { type ErrorResponse, internalError, unavailable } from "./error-catalogue.ts";
import type { ApiMiddleware } from "./request.ts";
import { errorBody, requestIdHeader, toProxyResult } from "./response.ts";

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, message, headers = {} }: ErrorResponse) {
    super(message);
    this.status = status;
    const one = (values: readonly string[]) => values[Math.floor(Math.random() * values.length)] ?? "";
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, one([values].flat())]));
  }
}

export const toApiError = (error: Error): ApiError => {
  if (error instanceof ApiError) return error;
  return new ApiError(isUnavailable(error) ? unavailable : internalError);
};

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
