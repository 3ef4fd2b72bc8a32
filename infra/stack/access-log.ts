/** The API's access log: API Gateway writes one line of JSON per request. */
import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * A caller can choose two values with headers: `gateway_request_id`, and `user_agent`, which is last, because AWS doesn't
 * document whether API Gateway escapes a quotation mark in it. The latency of a streamed response includes the time that the caller takes to read it. API Gateway writes `-` for a
 * missing number, so numbers are in quotes to keep the JSON valid.
 */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    request_id: "$context.extendedRequestId",
    gateway_request_id: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTimeEpoch(),
    route: `${AccessLogField.contextHttpMethod()} ${AccessLogField.contextResourcePath()}`,
    status: AccessLogField.contextStatus(),
    response_bytes: AccessLogField.contextResponseLength(),
    latency_ms: AccessLogField.contextResponseLatency(),
    integration_latency_ms: AccessLogField.contextIntegrationLatency(),
    time_to_first_byte_ms: "$context.integration.timeToFirstContent",
    integration_status: AccessLogField.contextIntegrationStatus(),
    function_request_id: AccessLogField.contextAwsEndpointRequestId(),
    error_type: AccessLogField.contextErrorResponseType(),
    ip: AccessLogField.contextIdentitySourceIp(),
    tls_version: "$context.tlsVersion",
    user_agent: AccessLogField.contextIdentityUserAgent(),
  }),
);
