/** The access log, and the metric that CloudWatch Logs reads from it, as the template has them. */
import { expect, test } from "vitest";
import { ofType, templateWith } from "../../harness/synthesise.ts";

const template = templateWith();
const [stage] = ofType(template, "AWS::ApiGateway::Stage");
const [filter] = ofType(template, "AWS::Logs::MetricFilter").filter(
  ({ Properties }) => Properties.MetricTransformations[0].MetricName === "Rejected",
);

test("A line is JSON even if a value is missing, and has two values of the caller's: a request id and, last, the user agent", () => {
  const Format: string = stage?.Properties.AccessLogSetting.Format;

  expect(JSON.parse(Format.replaceAll(/\$context\.[\w.]+/g, "-"))).toBeTypeOf("object");
  expect(JSON.parse(Format)).toEqual({
    request_id: "$context.extendedRequestId",
    gateway_request_id: "$context.requestId",
    time: "$context.requestTimeEpoch",
    route: "$context.httpMethod $context.resourcePath",
    status: "$context.status",
    response_bytes: "$context.responseLength",
    latency_ms: "$context.responseLatency",
    integration_latency_ms: "$context.integrationLatency",
    time_to_first_byte_ms: "$context.integration.timeToFirstContent",
    integration_status: "$context.integrationStatus",
    function_request_id: "$context.awsEndpointRequestId",
    error_type: "$context.error.responseType",
    ip: "$context.identity.sourceIp",
    tls_version: "$context.tlsVersion",
    user_agent: "$context.identity.userAgent",
  });
});

test("Requests without a valid API key and requests above a rate limit are counted by status in this log", () => {
  expect(filter?.Properties).toMatchObject({
    FilterPattern: '{ ($.status = "401") || ($.status = "429") }',
    MetricTransformations: [
      {
        MetricNamespace: "EmailApi/prod",
        MetricValue: "1",
        Dimensions: [{ Key: "status", Value: "$.status" }],
      },
    ],
  });
  expect(JSON.stringify(stage?.Properties.AccessLogSetting.DestinationArn)).toContain(
    filter?.Properties.LogGroupName.Ref,
  );
});
