/** The errors that API Gateway answers itself, in the API's own shape: on AWS and on this machine. */
import * as catalogue from "../lib/api/error-catalogue.ts";
import { commonHeaders } from "../lib/api/response.ts";

export const gatewayErrors = {
  headers: commonHeaders,
  noRoute: catalogue.noRoute,
  tooLarge: catalogue.bodyTooLarge,
  throttled: catalogue.tooManyRequests,
  blocked: catalogue.blocked,
  failure: catalogue.internalError,
} as const;
