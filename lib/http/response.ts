/** Puts an operation's response into API Gateway's format, and adds the headers that all responses share. */
import type { APIGatewayProxyResult } from "aws-lambda";
import type { StreamedBody } from "../streams/streamed-body.ts";

/** `body` is JSON, or "" for a response without content (204). Only an operation that streams may return a stream. */
export type ApiResponse<Streams extends boolean = boolean> = {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string | (Streams extends true ? StreamedBody : never);
};

export type ProxyResult = Omit<APIGatewayProxyResult, "body"> & { body: string | StreamedBody };

/** Every response with a body has these headers, even the errors that API Gateway generates itself. */
export const commonHeaders = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** Callers who report a problem can quote this header's value, and the operator finds it in the log. */
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
