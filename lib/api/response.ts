/** What an operation returns, and how Lambda's proxy integration wants it said. */
import type { Readable } from "node:stream";
import type { APIGatewayProxyResult } from "aws-lambda";
import { toApiError } from "./errors.ts";
import type { ApiMiddleware } from "./request.ts";

/**
 * Bytes of JSON; `bytes` is how many there are, where that is known. `zstd` makes the same stream in that coding,
 * where it is kept so and need not be read first.
 */
export type StreamedBody = Readable & { bytes?: number; zstd?: () => Readable };

/** `body` is JSON: as a string, or as a stream of its UTF-8 bytes. */
export type ApiResponse = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string | StreamedBody;
};

export type ProxyResult = Omit<APIGatewayProxyResult, "body"> & { body: string | StreamedBody };

/** Headers that every response has, API Gateway's own included. */
export const commonHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** Names the request for whoever asks about it: API Gateway's id, which the logs have too. */
export const requestIdHeader = "X-Request-Id";

export const toProxyResult = ({ status, headers, body }: ApiResponse): ProxyResult => ({
  statusCode: status,
  headers: { ...commonHeaders, ...headers },
  body,
});

/** The body of every error. */
export const errorBody = ({ message }: { message: string }): string => JSON.stringify({ message });

/** Turns the error that ended a request into its response, and names the request in every response. */
export const respond: ApiMiddleware = {
  after: ({ context, response }) => {
    if (response?.headers) response.headers[requestIdHeader] = context.requestLog.requestId;
  },
  onError: (request) => {
    if (!request.error) return;
    const { status, message, headers } = toApiError(request.error);
    request.response = toProxyResult({
      status,
      headers: { ...headers, [requestIdHeader]: request.context.requestLog.requestId },
      body: errorBody({ message }),
    });
  },
};
