/** The errors that API Gateway returns itself, in the shape of the API's errors. */
import { randomBytes } from "node:crypto";
import { commonHeaders, requestIdHeader } from "../../lib/api/response.ts";
import type { HttpResponse } from "./lambda.ts";

export type GatewayError = { status: number; message: string };

/** Returns an id in the form of API Gateway's `extendedRequestId`, which no caller can set. */
export const newExtendedRequestId = (): string => randomBytes(11).toString("base64url").padEnd(16, "=");

export const gatewayError = (
  { status, message }: GatewayError,
  extendedRequestId: string,
): HttpResponse & { body: string } => ({
  statusCode: status,
  headers: { ...commonHeaders, [requestIdHeader]: extendedRequestId },
  body: JSON.stringify({ message }),
});
