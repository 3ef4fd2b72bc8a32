/** The API's access log: one line of JSON for each request, and what monitoring counts in it. */
import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { FilterPattern, type IFilterPattern } from "aws-cdk-lib/aws-logs";

/**
 * Nothing in a line is the caller's own. A streamed response's latency includes the time that the caller
 * takes to read it; `time_to_first_byte_ms` is what the service answers for. All values are in quotes,
 * because API Gateway writes `-` for one that there is not.
 */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    request_id: "$context.extendedRequestId", // A caller can choose requestId, but not this one.
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
  }),
);

/** A metric that CloudWatch Logs reads from the lines, apart for each value of its one dimension. */
export type AccessLogMetric = { name: string; lines: IFilterPattern; value: string; dimension: string };

/** How long a function took to begin its response, in milliseconds, by route. */
export const timeToFirstByte: AccessLogMetric = {
  name: "TimeToFirstByte",
  lines: FilterPattern.stringValue("$.time_to_first_byte_ms", "!=", "-"),
  value: "$.time_to_first_byte_ms",
  dimension: "route",
};

/** Callers who are turned away whatever they ask for, by status: `401` and `429`. */
export const refusals: AccessLogMetric = {
  name: "Refused",
  lines: FilterPattern.any(
    FilterPattern.stringValue("$.status", "=", "401"),
    FilterPattern.stringValue("$.status", "=", "429"),
  ),
  value: "1",
  dimension: "status",
};
