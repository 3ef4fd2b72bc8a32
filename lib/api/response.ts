/** Turns what an operation returns into what API Gateway expects from Lambda. */
import type { APIGatewayProxyResult } from "aws-lambda";
import type { StreamedBody } from "../streamed-body.ts";

/** `body` is JSON, or "" for a response without content. */
export type ApiResponse = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string | StreamedBody;
};

export type ProxyResult = Omit<APIGatewayProxyResult, "body"> & { body: string | StreamedBody };

/** API Gateway sends the same headers with the errors that it generates itself. */
export const commonHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** A caller who reports a problem quotes this header, and the operator finds the request in the log. */
export const requestIdHeader = "X-Request-Id";

export const toProxyResult = ({ status, headers, body }: ApiResponse): ProxyResult => {
  const { "Content-Type": contentType, ...others } = commonHeaders;
  return {
    statusCode: status,
    headers: { ...(body !== "" && { "Content-Type": contentType }), ...others, ...headers },
    body,
  };
};

export const errorBody = ({ message }: { message: string }): string => JSON.stringify({ message });
