/** What an operator looks at, and what wakes them. */
import { Duration } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { metricNames, metricNamespace } from "../lib/api/metric-names.ts";
import type { Operation } from "../lib/api/operations.ts";
import type { Api, Route } from "./api.ts";

export type MonitoringProps = {
  stage: string;
  api: Api;
  routes: readonly Route[];
  table: TableV2;
  /** The ARN of the topic that hears of alarms. Without one they only show. */
  alarmTopic: string | undefined;
};

const period = Duration.minutes(5);
const percentiles = ["p50", "p90", "p99"];

/** What a healthy p99 stays below. A large message takes as long as its caller takes to read it. */
const slow = ({ streams }: Operation): Duration => Duration.seconds(streams ? 5 : 2);

const counted = (stage: string, name: string, { id }: Operation): Metric =>
  new Metric({
    namespace: metricNamespace(stage),
    metricName: name,
    dimensionsMap: { service: id },
    statistic: "Sum",
    period,
    label: `${id} ${name}`,
  });

/** A dashboard from traffic to table, and an alarm for each way in which the service fails its callers. */
export class Monitoring extends Construct {
  readonly dashboard: Dashboard;
  private readonly props: MonitoringProps;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.props = props;
    this.dashboard = this.addDashboard();
    this.addAlarms();
  }

  private get gatewayStage(): Stage {
    return this.props.api.restApi.deploymentStage;
  }

  /** Throttled calls on the table, reads and writes. DynamoDB reports none where there are none. */
  private tableThrottles(): IMetric {
    const { table } = this.props;
    return new MathExpression({
      expression: "FILL(reads, 0) + FILL(writes, 0)",
      usingMetrics: {
        reads: table.metric("ReadThrottleEvents", { period }),
        writes: table.metric("WriteThrottleEvents", { period }),
      },
      period,
      label: "Throttled table calls",
    });
  }

  private serverErrorRate(): IMetric {
    const { restApi } = this.props.api;
    return new MathExpression({
      expression: "100 * errors / requests",
      usingMetrics: {
        errors: restApi.metricServerError({ statistic: "Sum", period }),
        requests: restApi.metricCount({ statistic: "SampleCount", period }),
      },
      period,
      label: "5xx, % of requests",
    });
  }

  private addDashboard(): Dashboard {
    const { stage, api, routes, table } = this.props;
    const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12 });
    const operations = routes.map(({ operation }) => operation);
    return new Dashboard(this, "Dashboard", {
      dashboardName: `EmailApi-${stage}`,
      widgets: [
        [
          graph(
            "Requests",
            api.methods.map(({ operation, method }) =>
              method.metricCount(this.gatewayStage, { period, label: operation.id }),
            ),
          ),
          graph("Errors answered", [
            api.restApi.metricClientError({ statistic: "Sum", period, label: "4xx" }),
            api.restApi.metricServerError({ statistic: "Sum", period, label: "5xx" }),
            ...operations.map((operation) => counted(stage, metricNames.serverError, operation)),
          ]),
        ],
        api.methods.map(({ operation, method }) =>
          graph(
            `Latency of ${operation.id}, ms`,
            percentiles.map((statistic) =>
              method.metricLatency(this.gatewayStage, { statistic, period, label: statistic }),
            ),
          ),
        ),
        [
          graph("Functions that failed or were throttled", [
            ...routes.map(({ operation, handler }) =>
              handler.lambda.metricErrors({ period, label: `${operation.id} failed` }),
            ),
            ...routes.map(({ operation, handler }) =>
              handler.lambda.metricThrottles({ period, label: `${operation.id} throttled` }),
            ),
          ]),
          graph(
            "Cold starts",
            operations.map((operation) => counted(stage, metricNames.coldStart, operation)),
          ),
        ],
        [
          graph(
            "Idempotency keys: replays and mismatches",
            operations
              .filter(({ idempotent }) => idempotent)
              .flatMap((operation) => [
                counted(stage, metricNames.replay, operation),
                counted(stage, metricNames.payloadMismatch, operation),
              ]),
          ),
          graph("Table: capacity units and throttles", [
            table.metricConsumedReadCapacityUnits({ period, label: "Read units" }),
            table.metricConsumedWriteCapacityUnits({ period, label: "Write units" }),
            this.tableThrottles(),
          ]),
        ],
      ],
    });
  }

  private addAlarms() {
    const { api, routes } = this.props;
    this.alarm("ServerErrorRate", this.serverErrorRate(), 1, "More than 1% of all requests end in a 5xx");
    for (const { operation, method } of api.methods) {
      const limit = slow(operation);
      this.alarm(
        `${operation.id}Latency`,
        method.metricLatency(this.gatewayStage, { statistic: "p99", period }),
        limit.toMilliseconds(),
        `One in a hundred ${operation.id} takes longer than ${limit.toSeconds()} seconds`,
      );
    }
    for (const { operation, handler } of routes) {
      this.alarm(
        `${operation.id}Errors`,
        handler.lambda.metricErrors({ period }),
        0,
        `${operation.id} crashes, runs out of memory or out of time: it answers every other error itself`,
      );
      this.alarm(
        `${operation.id}Throttles`,
        handler.lambda.metricThrottles({ period }),
        0,
        `${operation.id} runs as often at once as the account allows`,
      );
    }
    this.alarm("TableThrottles", this.tableThrottles(), 0, "DynamoDB turns calls on the table away");
  }

  /** Sounds when two of three periods are above the limit: one cold start or one retry wakes nobody. */
  private alarm(id: string, metric: IMetric, above: number, alarmDescription: string) {
    const alarm = new Alarm(this, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      treatMissingData: TreatMissingData.NOT_BREACHING, // no requests, no failures
      alarmDescription,
    });
    const { alarmTopic } = this.props;
    if (alarmTopic === undefined) return;
    const action = new SnsAction(Topic.fromTopicArn(this, `${id}Topic`, alarmTopic));
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
