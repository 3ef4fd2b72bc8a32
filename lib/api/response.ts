/** Converts an operation's response to the format that API Gateway expects from Lambda. */
import type { APIGatewayProxyResult } from "aws-lambda";
import type { StreamedBody } from "../streamed-body.ts";

/** `body` is JSON, or the empty string for a response without content. */
export type ApiResponse = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string | StreamedBody;
};

export type ProxyResult = Omit<APIGatewayProxyResult, "body"> & { body: string | StreamedBody };

/** Headers of every response with a body, including the responses that API Gateway generates. */
export const commonHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** The response header with the request id. An operator can search the logs for the request id. */
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
