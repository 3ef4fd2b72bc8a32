/** The errors that API Gateway answers itself, in the API's own shape: on AWS and on this machine. */
import { commonHeaders } from "../lib/api/response.ts";

export const gatewayErrors = {
  headers: commonHeaders,
  noRoute: { status: 404, message: "No such route or method" },
  tooLarge: { status: 413, message: "The request body must be at most 64 KiB" },
  throttled: { status: 429, message: "Too many requests: please slow down" },
  blocked: { status: 403, message: "The request was blocked by a firewall rule" },
  failure: { status: 500, message: "Internal server error" },
} as const;
