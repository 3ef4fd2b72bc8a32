/** The access log's lines, and what CloudWatch Logs reads from them, as the template has it. */
import { expect, test } from "vitest";
import { ofType, templateWith } from "../harness/synthesise.ts";

const template = templateWith();

test("A line is JSON: the request's id, route, status and latencies, and nothing that the caller sent", () => {
  const [stage] = ofType(template, "AWS::ApiGateway::Stage");

  expect(JSON.parse(stage?.Properties.AccessLogSetting.Format)).toEqual({
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
  });
});

test("The time to the first byte is a metric by route, of the lines that have one", () => {
  template.hasResourceProperties("AWS::Logs::MetricFilter", {
    FilterPattern: '{ $.time_to_first_byte_ms != "-" }',
    MetricTransformations: [
      {
        MetricNamespace: "EmailApi/prod",
        MetricName: "TimeToFirstByte",
        MetricValue: "$.time_to_first_byte_ms",
        Dimensions: [{ Key: "route", Value: "$.route" }],
      },
    ],
  });
});

test("Callers without a valid key, and those who exceed a rate, are counted by status", () => {
  template.hasResourceProperties("AWS::Logs::MetricFilter", {
    FilterPattern: '{ ($.status = "401") || ($.status = "429") }',
    MetricTransformations: [
      {
        MetricNamespace: "EmailApi/prod",
        MetricName: "Refused",
        MetricValue: "1",
        Dimensions: [{ Key: "status", Value: "$.status" }],
      },
    ],
  });
});

test("Both are read from the log that the stage writes", () => {
  const [stage] = ofType(template, "AWS::ApiGateway::Stage");
  const destination = JSON.stringify(stage?.Properties.AccessLogSetting.DestinationArn);
  const read = ofType(template, "AWS::Logs::MetricFilter").map(
    ({ Properties }) => Properties.LogGroupName.Ref,
  );

  expect(read).toHaveLength(2);
  expect(new Set(read).size).toBe(1);
  expect(destination).toContain(read[0]);
});
