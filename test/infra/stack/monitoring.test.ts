/** The dashboard and the alarms, as the template has them. */
import { readFileSync } from "node:fs";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { getMessage, operations } from "../../../lib/http/operations.ts";
import { functionOf, ofType, type Resource, templateWith } from "../../harness/synthesise.ts";

const template = templateWith({ intake: "true" });
const alarms = ofType(template, "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);
const alarm = (description: RegExp) =>
  alarms.find(({ AlarmDescription }) => description.test(AlarmDescription)) as Resource["Properties"];

const overFiveMinutes = (Stat: string, Metric: object) => ({ MetricStat: { Metric, Stat, Period: 300 } });

describe("The alarms", () => {
  test("cover each way in which the service can fail its callers, and rejected callers", () => {
    const limits = alarms.map(({ AlarmDescription, Threshold }) => [AlarmDescription, Threshold]);

    expect(limits).toEqual([
      [expect.stringMatching(/^Events could not be recorded.* see "DeadLetters"/), 0],
      [expect.stringMatching(/^The oldest event has waited for more than 30 minutes: see "EventsWait"/), 1800],
      [expect.stringMatching(/^An event writes more than 100 units on average.* see "LargeEmails"/), 100],
      [expect.stringMatching(/^RecordEvents crashed.* see "Errors"/), 0],
      [expect.stringMatching(/^More than 1% of requests end with a 5xx: see "ServerErrorRate"/), 1],
      ...operations.map(({ id }) => [
        expect.stringMatching(`^${id} is slow: .* is above 2 seconds: see "Latency"`),
        2000,
      ]),
      [expect.stringMatching(/^More than 100 requests have no valid API key: see "Unauthorized"/), 100],
      [expect.stringMatching(/^More than 100 requests exceed a rate limit: see "RateExceeded"/), 100],
      ...operations.flatMap(({ id }) => [
        [expect.stringMatching(`^${id} crashed.* see "Errors"`), 0],
        [expect.stringMatching(`^${id} reached its concurrency limit: see "Throttles"`), 0],
      ]),
      [expect.stringMatching(/^DynamoDB throttles more than 10 calls: see "TableThrottles"/), 10],
    ]);
  });

  test("each name the section of the runbook that says what to do", () => {
    const runbook = readFileSync(new URL("../../../infra/admin/README.md", import.meta.url), "utf8");

    for (const { AlarmDescription } of alarms) {
      const [, section] = /: see "(\w+)" in infra\/admin\/README.md$/.exec(AlarmDescription) ?? [];
      expect(runbook).toContain(`\n### ${section}\n`);
    }
  });

  test("stay off without data, and after a single bad period unless it is a dead letter or a whole day", () => {
    for (const { AlarmDescription, ...properties } of alarms) {
      const isAtOnce = /see "(DeadLetters|LargeEmails)"/.test(AlarmDescription);
      expect(properties).toMatchObject({
        ComparisonOperator: "GreaterThanThreshold",
        TreatMissingData: "notBreaching",
        EvaluationPeriods: isAtOnce ? 1 : 3,
        DatapointsToAlarm: isAtOnce ? 1 : 2,
      });
    }
  });

  test("measure 5xx as a percentage of all requests", () => {
    const dimensions = { Dimensions: [{ Name: "ApiName", Value: "EmailApi-prod" }] };
    const ofApi = (MetricName: string) => ({ Namespace: "AWS/ApiGateway", MetricName, ...dimensions });

    expect(alarm(/5xx/).Metrics).toMatchObject([
      { Expression: "100 * errors / requests" },
      { Id: "errors", ...overFiveMinutes("Sum", ofApi("5XXError")), ReturnData: false },
      { Id: "requests", ...overFiveMinutes("SampleCount", ofApi("Count")), ReturnData: false },
    ]);
  });

  test.each(operations)("measure the p99 of $id to the first byte of a stream, else to the last byte", (operation) => {
    const { id, method, path, streams } = operation;
    const ofStream = {
      Namespace: "EmailApi/prod",
      MetricName: "TimeToFirstByte",
      Dimensions: [{ Name: "service", Value: id }],
    };
    const ofMethod = {
      Namespace: "AWS/ApiGateway",
      MetricName: "Latency",
      Dimensions: [
        { Name: "ApiName", Value: "EmailApi-prod" },
        { Name: "Method", Value: method },
        { Name: "Resource", Value: path },
        { Name: "Stage", Value: { Ref: expect.any(String) } },
      ],
    };

    expect(alarm(new RegExp(`^${id} is slow`)).Metrics).toMatchObject([
      overFiveMinutes("p99", streams ? ofStream : ofMethod),
    ]);
  });

  test.each([
    ["401", /no valid API key/],
    ["429", /rate limit/],
  ])("count the access log's %s", (status, description) => {
    const Dimensions = [{ Name: "status", Value: status }];

    expect(alarm(description).Metrics).toMatchObject([
      overFiveMinutes("Sum", { Namespace: "EmailApi/prod", MetricName: "Rejected", Dimensions }),
    ]);
  });

  test("measure the units of an event over a day, once it has had some events", () => {
    const day = 86_400;

    expect(alarm(/units on average/).Metrics).toMatchObject([
      { Expression: "IF(events > 1000, units / events, 0)" },
      { Id: "units", MetricStat: { Metric: { MetricName: "ConsumedWriteCapacityUnits" }, Stat: "Sum", Period: day } },
      { Id: "events", MetricStat: { Metric: { MetricName: "EventRecorded" }, Stat: "Sum", Period: day } },
    ]);
  });

  test("count throttled reads and writes of the table and its index, and need only one of them", () => {
    const table = { Name: "TableName", Value: { Ref: expect.stringMatching(/^Table/) } };
    const ofTable = (MetricName: string) => ({ Namespace: "AWS/DynamoDB", MetricName, Dimensions: [table] });
    const ofIndex = { Dimensions: [{ Name: "GlobalSecondaryIndexName", Value: "person" }, table] };

    expect(alarm(/DynamoDB/).Metrics).toMatchObject([
      { Expression: "FILL(reads, 0) + FILL(writes, 0) + FILL(indexed, 0)" },
      { Id: "reads", ...overFiveMinutes("Sum", ofTable("ReadThrottleEvents")), ReturnData: false },
      { Id: "writes", ...overFiveMinutes("Sum", ofTable("WriteThrottleEvents")), ReturnData: false },
      {
        Id: "indexed",
        ...overFiveMinutes("Sum", { ...ofTable("WriteThrottleEvents"), ...ofIndex }),
        ReturnData: false,
      },
    ]);
  });

  test.each(operations)("count crashes and throttles of $id's function", ({ id }) => {
    const ofFunction = {
      Namespace: "AWS/Lambda",
      Statistic: "Sum",
      Period: 300,
      Dimensions: [{ Name: "FunctionName", Value: { Ref: expect.stringMatching(`^${id}Function`) } }],
    };

    expect(alarm(new RegExp(`^${id} crashed`))).toMatchObject({ ...ofFunction, MetricName: "Errors" });
    expect(alarm(new RegExp(`^${id} reached`))).toMatchObject({
      ...ofFunction,
      MetricName: "Throttles",
    });
  });

  test("notify nobody without a topic, and the topic at their start and their end", () => {
    const alarmTopic = "arn:aws:sns:eu-west-1:123456789012:on-call";
    const actions = (value: unknown) => ({ AlarmActions: value, OKActions: value });

    template.allResourcesProperties("AWS::CloudWatch::Alarm", actions(Match.absent()));
    templateWith({ alarmTopic }).allResourcesProperties("AWS::CloudWatch::Alarm", actions([alarmTopic]));
  });
});

describe("The dashboard", () => {
  type Widget = { properties: { metrics: unknown[][] } };
  const [dashboard] = ofType(template, "AWS::CloudWatch::Dashboard");
  const body = dashboard?.Properties.DashboardBody["Fn::Join"][1]
    .map((part: unknown) => (typeof part === "string" ? part : "?"))
    .join("");
  const metrics = JSON.parse(body)
    .widgets.flatMap(({ properties }: Widget) => properties.metrics)
    .map(([, name]: unknown[]) => name);

  test("draws every metric that an alarm watches", () => {
    const watched = alarms.flatMap(({ MetricName, Metrics = [] }) => [
      MetricName,
      ...Metrics.map(
        ({ MetricStat }: { MetricStat?: { Metric: { MetricName: string } } }) => MetricStat?.Metric.MetricName,
      ),
    ]);
    const drawn = new Set([...metrics, undefined, "ApproximateAgeOfOldestMessage"]);

    expect(watched.filter((name) => !drawn.has(name))).toEqual([]);
  });

  test.each(operations)("draws the counts that $id's function logs, apart from other stages", (operation) => {
    const { POWERTOOLS_METRICS_NAMESPACE } = functionOf(template, operation).Properties.Environment.Variables;
    const names = operation.idempotent
      ? ["ColdStart", "ServerError", "Replay", "PayloadMismatch"]
      : ["ColdStart", "ServerError"];

    expect(POWERTOOLS_METRICS_NAMESPACE).toBe("EmailApi/prod");
    for (const name of names) expect(body).toContain(`"EmailApi/prod","${name}","service","${operation.id}"`);
  });
});

test("The time to the first byte is read from the log of each function that streams", () => {
  const { LoggingConfig } = functionOf(template, getMessage).Properties;
  const filters = ofType(template, "AWS::Logs::MetricFilter").map(({ Properties }) => Properties);

  expect(filters.filter(({ MetricTransformations: [{ MetricName }] }) => MetricName === "TimeToFirstByte")).toEqual([
    {
      LogGroupName: LoggingConfig.LogGroup,
      FilterPattern: '{ $.time_to_first_byte_ms = "*" }',
      MetricTransformations: [
        {
          MetricNamespace: "EmailApi/prod",
          MetricName: "TimeToFirstByte",
          MetricValue: "$.time_to_first_byte_ms",
          Dimensions: [{ Key: "service", Value: "$.service" }],
        },
      ],
    },
  ]);
});
