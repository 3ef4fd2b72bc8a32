/** An error that this gateway answers itself, in the shape and with the headers of the API's own. */
import { commonHeaders, requestIdHeader } from "../../lib/api/response.ts";
import type { HttpResponse } from "./lambda.ts";

export type GatewayError = { status: number; message: string };

export const gatewayError = (
  { status, message }: GatewayError,
  requestId: string,
): HttpResponse & { body: string } => ({
  statusCode: status,
  headers: { ...commonHeaders, [requestIdHeader]: requestId },
  body: JSON.stringify({ message }),
});
