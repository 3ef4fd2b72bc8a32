/** Turns an operation's result into the response format that API Gateway expects from Lambda. */
import type { APIGatewayProxyResult } from "aws-lambda";
import type { StreamedBody } from "../streamed-body.ts";

/** `body` is JSON, or "" for a response without content. */
export type ApiResponse = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string | StreamedBody;
};

export type ProxyResult = Omit<APIGatewayProxyResult, "body"> & { body: string | StreamedBody };

/** API Gateway also sends these headers with the errors that it generates itself. */
export const commonHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** If a caller reports a problem with this header's value, the operator can find the request in the log. */
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
