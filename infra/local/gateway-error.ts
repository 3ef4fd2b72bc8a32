/** Errors that API Gateway sends without calling a function, such as 404 for an unknown route. */
import { randomBytes } from "node:crypto";
import type { ErrorResponse } from "../../lib/http/error-catalogue.ts";
import { commonHeaders, requestIdHeader } from "../../lib/http/response.ts";
import type { HttpResponse } from "./lambda.ts";

/** Returns a random id in the format of API Gateway's `extendedRequestId`, which callers can't choose. */
export const newExtendedRequestId = (): string => randomBytes(11).toString("base64url").padEnd(16, "=");

export const gatewayError = (
  { status, message, headers }: ErrorResponse,
  extendedRequestId: string,
): HttpResponse & { body: string } => ({
  statusCode: status,
  headers: { ...commonHeaders, ...headers, [requestIdHeader]: extendedRequestId },
  body: JSON.stringify({ message }),
});
