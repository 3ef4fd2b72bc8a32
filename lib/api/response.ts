/** What an operation answers, and how Lambda's proxy integration wants it said. */
import type { Readable } from "node:stream";
import type { APIGatewayProxyResult } from "aws-lambda";

/** `body` is JSON: as a string, or as a stream of its UTF-8 bytes. */
export type Response = { status: number; headers?: Record<string, string>; body: string | Readable };

export type ProxyResult = Omit<APIGatewayProxyResult, "body"> & { body: string | Readable };

/** Headers that every response has, API Gateway's own included. */
export const commonHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

export const toProxyResult = ({ status, headers, body }: Response): ProxyResult => ({
  statusCode: status,
  headers: { ...commonHeaders, ...headers },
  body,
});
