/** The errors that API Gateway sends without calling a function, in the format of the functions' own errors. */
import { ResponseType, type RestApi } from "aws-cdk-lib/aws-apigateway";
import * as errors from "../../lib/http/error-catalogue.ts";
import { commonHeaders, requestIdHeader } from "../../lib/http/response.ts";

/**
 * API Gateway responds to an unknown route with an authorization error instead of a 404. No route uses API Gateway's
 * authorization, so its authorization errors mean that the route is unknown.
 *
 * API Gateway reportedly sends INTEGRATION_FAILURE when Lambda throttles a function. Callers may always retry after
 * this error, because an operation writes either everything or nothing.
 *
 * DEFAULT_4XX and DEFAULT_5XX would cover some of these error types on AWS, but not in the emulator that our tests use.
 */
const gatewayErrors: readonly { error: errors.ErrorResponse; types: readonly ResponseType[] }[] = [
  {
    error: errors.noRoute,
    types: [
      ResponseType.DEFAULT_4XX,
      ResponseType.ACCESS_DENIED,
      ResponseType.EXPIRED_TOKEN,
      ResponseType.INVALID_API_KEY,
      ResponseType.INVALID_SIGNATURE,
      ResponseType.MISSING_AUTHENTICATION_TOKEN,
      ResponseType.RESOURCE_NOT_FOUND,
      ResponseType.UNAUTHORIZED,
    ],
  },
  { error: errors.bodyTooLarge, types: [ResponseType.REQUEST_TOO_LARGE] },
  { error: errors.tooManyRequests, types: [ResponseType.THROTTLED] },
  { error: errors.unavailable, types: [ResponseType.INTEGRATION_FAILURE] },
  {
    error: errors.internalError,
    types: [ResponseType.DEFAULT_5XX, ResponseType.API_CONFIGURATION_ERROR, ResponseType.INTEGRATION_TIMEOUT],
  },
];

const addGatewayError = (
  api: RestApi,
  type: ResponseType,
  { status, message, headers }: errors.ErrorResponse,
): void => {
  const { "Content-Type": contentType, ...common } = commonHeaders;
  // Without single quotes, API Gateway would take a header's value for the name of a parameter. Our functions pick
  // one of several values of Retry-After at random; API Gateway can't, so it always sends the first.
  const constants = Object.entries({ ...common, ...headers }).map(([name, value]) => [name, `'${[value].flat()[0]}'`]);
  api.addGatewayResponse(type.responseType, {
    type,
    statusCode: String(status),
    responseHeaders: { ...Object.fromEntries(constants), [requestIdHeader]: "context.extendedRequestId" },
    templates: { [contentType]: JSON.stringify({ message }) },
  });
};

/** @param blocked what AWS WAF's block means: the stack's own web ACL counts requests, an operator's can have any reason */
export const addGatewayErrors = (api: RestApi, blocked: errors.ErrorResponse): void => {
  for (const { error, types } of gatewayErrors) {
    for (const type of types) addGatewayError(api, type, error);
  }
  addGatewayError(api, ResponseType.WAF_FILTERED, blocked);
};
