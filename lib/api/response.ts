/** The response of an operation, and its form for Lambda's proxy integration. */
import type { Readable } from "node:stream";
import type { APIGatewayProxyResult } from "aws-lambda";

/**
 * A stream of JSON in UTF-8. `bytes` is its length, if known. `zstd` returns the same stream in zstd, if the content
 * is stored in zstd.
 */
export type StreamedBody = Readable & { bytes?: number; zstd?: () => Readable };

/** `body` is JSON, or the empty string for a response without content. */
export type ApiResponse = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string | StreamedBody;
};

export type ProxyResult = Omit<APIGatewayProxyResult, "body"> & { body: string | StreamedBody };

/** Headers of every response with content, including API Gateway's own responses. */
export const commonHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** The header with the id of the request. The logs contain the same id. */
export const requestIdHeader = "X-Request-Id";

export const toProxyResult = ({ status, headers, body }: ApiResponse): ProxyResult => {
  const { "Content-Type": contentType, ...others } = commonHeaders;
  return {
    statusCode: status,
    headers: { ...(body !== "" && { "Content-Type": contentType }), ...others, ...headers },
    body,
  };
};

/** Returns the body of an error response. */
export const errorBody = ({ message }: { message: string }): string => JSON.stringify({ message });
