/** The dashboard and the alarms, as the template has them. */
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { addAccountMember, getMessage } from "../../lib/api/operations.ts";
import { functionOf, ofType, type Resource, templateWith } from "../harness/synthesise.ts";

const template = templateWith();
const alarms = ofType(template, "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);
const alarm = (description: RegExp) =>
  alarms.find(({ AlarmDescription }) => description.test(AlarmDescription)) as Resource["Properties"];

const overFiveMinutes = (Stat: string, Metric: object) => ({ MetricStat: { Metric, Stat, Period: 300 } });

describe("The alarms", () => {
  test("are one for each way in which the service fails its callers, and for callers who are turned away", () => {
    const limits = alarms.map(({ AlarmDescription, Threshold }) => [AlarmDescription, Threshold]);

    expect(limits).toEqual([
      ["More than 1% of all requests end in a 5xx", 1],
      ["One in a hundred GetMessage takes over 2 seconds to begin", 2000],
      ["One in a hundred AddAccountMember takes over 2 seconds", 2000],
      ["Over 100 requests in 5 minutes have no valid key", 100],
      ["Over 100 requests in 5 minutes exceed a rate", 100],
      [expect.stringMatching(/^GetMessage crashes/), 0],
      [expect.stringMatching(/^GetMessage runs as often at once/), 0],
      [expect.stringMatching(/^AddAccountMember crashes/), 0],
      [expect.stringMatching(/^AddAccountMember runs as often at once/), 0],
      ["DynamoDB turns away over 10 calls on the table in 5 minutes", 10],
    ]);
  });

  test("are quiet while there is nothing to measure, and wake nobody for a single bad period", () => {
    template.allResourcesProperties("AWS::CloudWatch::Alarm", {
      ComparisonOperator: "GreaterThanThreshold",
      TreatMissingData: "notBreaching",
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
    });
  });

  test("count 5xx in percent of all requests", () => {
    const dimensions = { Dimensions: [{ Name: "ApiName", Value: "EmailApi-prod" }] };
    const ofApi = (MetricName: string) => ({ Namespace: "AWS/ApiGateway", MetricName, ...dimensions });

    expect(alarm(/5xx/).Metrics).toMatchObject([
      { Expression: "100 * errors / requests" },
      { Id: "errors", ...overFiveMinutes("Sum", ofApi("5XXError")), ReturnData: false },
      { Id: "requests", ...overFiveMinutes("SampleCount", ofApi("Count")), ReturnData: false },
    ]);
  });

  test("count a stream's latency to its first byte: it lasts as long as its reader takes", () => {
    expect(alarm(/GetMessage takes/).Metrics).toMatchObject([
      overFiveMinutes("p99", {
        Namespace: "EmailApi/prod",
        MetricName: "TimeToFirstByte",
        Dimensions: [{ Name: "route", Value: `GET ${getMessage.path}` }],
      }),
    ]);
  });

  test("count any other latency to the last byte, by the dimensions that API Gateway reports it under", () => {
    expect(alarm(/AddAccountMember takes/).Metrics).toMatchObject([
      overFiveMinutes("p99", {
        Namespace: "AWS/ApiGateway",
        MetricName: "Latency",
        Dimensions: [
          { Name: "ApiName", Value: "EmailApi-prod" },
          { Name: "Method", Value: "POST" },
          { Name: "Resource", Value: addAccountMember.path },
          { Name: "Stage", Value: { Ref: expect.any(String) } },
        ],
      }),
    ]);
  });

  test.each([
    ["401", /no valid key/],
    ["429", /exceed a rate/],
  ])("count the access log's %s", (status, description) => {
    expect(alarm(description).Metrics).toMatchObject([
      overFiveMinutes("Sum", {
        Namespace: "EmailApi/prod",
        MetricName: "Refused",
        Dimensions: [{ Name: "status", Value: status }],
      }),
    ]);
  });

  test("count throttled calls on the table by their sum, reads and writes, where there are any", () => {
    const dimensions = {
      Dimensions: [{ Name: "TableName", Value: { Ref: expect.stringMatching(/^Table/) } }],
    };
    const ofTable = (MetricName: string) => ({ Namespace: "AWS/DynamoDB", MetricName, ...dimensions });

    expect(alarm(/DynamoDB/).Metrics).toMatchObject([
      { Expression: "FILL(reads, 0) + FILL(writes, 0)" },
      { Id: "reads", ...overFiveMinutes("Sum", ofTable("ReadThrottleEvents")), ReturnData: false },
      { Id: "writes", ...overFiveMinutes("Sum", ofTable("WriteThrottleEvents")), ReturnData: false },
    ]);
  });

  test.each([getMessage, addAccountMember])(
    "watch the function of $id for failures and throttles",
    (operation) => {
      const ofFunction = {
        Namespace: "AWS/Lambda",
        Statistic: "Sum",
        Period: 300,
        Dimensions: [
          { Name: "FunctionName", Value: { Ref: expect.stringMatching(`^${operation.id}Function`) } },
        ],
      };

      expect(alarm(new RegExp(`^${operation.id} crashes`))).toMatchObject({
        ...ofFunction,
        MetricName: "Errors",
      });
      expect(alarm(new RegExp(`^${operation.id} runs`))).toMatchObject({
        ...ofFunction,
        MetricName: "Throttles",
      });
    },
  );

  test("show, and notify nobody, without a topic", () => {
    template.allResourcesProperties("AWS::CloudWatch::Alarm", {
      AlarmActions: Match.absent(),
      OKActions: Match.absent(),
    });
  });

  test("tell the topic when they begin, and when they end", () => {
    const alarmTopic = "arn:aws:sns:eu-west-1:123456789012:on-call";

    templateWith({ alarmTopic }).allResourcesProperties("AWS::CloudWatch::Alarm", {
      AlarmActions: [alarmTopic],
      OKActions: [alarmTopic],
    });
  });
});

describe("The dashboard", () => {
  const [dashboard] = ofType(template, "AWS::CloudWatch::Dashboard");
  const body = dashboard?.Properties.DashboardBody["Fn::Join"][1]
    .map((part: unknown) => (typeof part === "string" ? part : "?"))
    .join("");
  type Options = { label?: string; stat?: string; expression?: string };
  type Widget = { properties: { title: string; metrics: unknown[][] } };

  /** A line of a graph: its label, and what it is made of. What an expression uses has no label. */
  const line = (metric: unknown[]): string => {
    const { label, stat = "Average", expression = `${stat} of ${metric[1]}` } = metric.at(-1) as Options;
    return label ? `${label}: ${expression}` : expression;
  };

  test("draws traffic, errors, latency, functions, cold starts, replays and what the table consumes", () => {
    const widgets: Widget[] = JSON.parse(body).widgets;

    const graphs = widgets.map(({ properties: { title, metrics } }) => [title, metrics.map(line)]);

    expect(graphs).toEqual([
      ["Requests", ["GetMessage: SampleCount of Count", "AddAccountMember: SampleCount of Count"]],
      [
        "Errors answered",
        [
          "4xx: Sum of 4XXError",
          "401: Sum of Refused",
          "429: Sum of Refused",
          "5xx: Sum of 5XXError",
          "GetMessage ServerError: Sum of ServerError",
          "AddAccountMember ServerError: Sum of ServerError",
        ],
      ],
      [
        "GetMessage: ms to the first byte",
        ["p50: p50 of TimeToFirstByte", "p90: p90 of TimeToFirstByte", "p99: p99 of TimeToFirstByte"],
      ],
      [
        "AddAccountMember: ms to the last byte",
        ["p50: p50 of Latency", "p90: p90 of Latency", "p99: p99 of Latency"],
      ],
      [
        "Functions that failed or were throttled",
        [
          "GetMessage failed: Sum of Errors",
          "AddAccountMember failed: Sum of Errors",
          "GetMessage throttled: Sum of Throttles",
          "AddAccountMember throttled: Sum of Throttles",
        ],
      ],
      [
        "Cold starts",
        ["GetMessage ColdStart: Sum of ColdStart", "AddAccountMember ColdStart: Sum of ColdStart"],
      ],
      [
        "Idempotency keys: replays and mismatches",
        [
          "AddAccountMember Replay: Sum of Replay",
          "AddAccountMember PayloadMismatch: Sum of PayloadMismatch",
        ],
      ],
      [
        "Table: capacity units and throttles",
        [
          "Read units: Sum of ConsumedReadCapacityUnits",
          "Write units: Sum of ConsumedWriteCapacityUnits",
          "Throttled table calls: FILL(reads, 0) + FILL(writes, 0)",
          "Sum of ReadThrottleEvents",
          "Sum of WriteThrottleEvents",
        ],
      ],
    ]);
  });

  test("looks for a function's counts where the function is told to leave them, apart from other stages'", () => {
    const spaces = new Set([...body.matchAll(/EmailApi\/[\w-]+/g)].map(([namespace]) => namespace));
    const told = [getMessage, addAccountMember].map(
      (operation) =>
        functionOf(template, operation).Properties.Environment.Variables.POWERTOOLS_METRICS_NAMESPACE,
    );

    expect([...spaces]).toEqual(["EmailApi/prod"]);
    expect(body).toContain('"EmailApi/prod","ColdStart","service","GetMessage"');
    expect(told).toEqual(["EmailApi/prod", "EmailApi/prod"]);
  });
});
