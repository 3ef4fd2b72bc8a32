/** The dashboard and the alarms. */
import { Duration, Stack } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { metricNames } from "../lib/api/metric-names.ts";
import { outcomeMetrics, serviceName } from "../lib/intake/metric-names.ts";
import type { Intake } from "./intake.ts";
import { type Measured, Metrics, period } from "./metrics.ts";

export type MonitoringProps = Measured & {
  intake: Intake | undefined;
  /** The ARN of the SNS topic that alarms notify. Without a topic, alarms only change their state. */
  alarmTopic: string | undefined;
};

const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12 });

/** SQS leaves events that were received more than three times out of the age of the oldest event. */
const longWait = Duration.minutes(30);

const slowP99 = Duration.seconds(2);

/** A dashboard, and one alarm for each way in which the service can fail its callers. */
export class Monitoring extends Construct {
  readonly dashboard: Dashboard;
  private readonly props: MonitoringProps;
  private readonly metrics: Metrics;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.props = props;
    this.metrics = new Metrics(this, "Metrics", props);
    this.dashboard = this.addDashboard();
    if (props.intake) this.addIntakeAlarms(props.intake);
    this.addApiAlarms();
    this.addFunctionAlarms();
  }

  private addDashboard(): Dashboard {
    const { metrics } = this;
    const { stage, api, table, intake } = this.props;
    const operations = api.routes.map(({ operation }) => operation);
    return new Dashboard(this, "Dashboard", {
      // Names of dashboards are unique in an account, not in a region.
      dashboardName: `EmailApi-${stage}-${Stack.of(this).region}`,
      widgets: [
        [
          graph(
            "Requests",
            api.routes.map((route) => metrics.requests(route)),
          ),
          graph("Error responses", [
            metrics.clientErrors(),
            metrics.rejected("401"),
            metrics.rejected("429"),
            metrics.serverErrors(),
            ...operations.map((operation) => metrics.counted(metricNames.serverError, operation)),
          ]),
        ],
        api.routes.map((route) =>
          graph(
            `${route.operation.id}: ms to the ${route.operation.streams ? "first" : "last"} byte`,
            ["p50", "p90", "p99"].map((statistic) => metrics.latency(route, statistic)),
          ),
        ),
        [
          graph(
            "Function errors and throttles",
            api.routes.flatMap(({ operation: { id }, handler: { lambda } }) => [
              lambda.metricErrors({ period, label: `${id} errors` }),
              lambda.metricThrottles({ period, label: `${id} throttles` }),
            ]),
          ),
          graph(
            "Cold starts",
            operations.map((operation) => metrics.counted(metricNames.coldStart, operation)),
          ),
        ],
        [
          graph(
            "Idempotency keys: replays and mismatches",
            operations
              .filter(({ idempotent }) => idempotent)
              .flatMap((operation) => [
                metrics.counted(metricNames.replay, operation),
                metrics.counted(metricNames.payloadMismatch, operation),
              ]),
          ),
          graph("Table: capacity units and throttles", [
            table.metricConsumedReadCapacityUnits({ period, label: "Read units" }),
            table.metricConsumedWriteCapacityUnits({ period, label: "Write units" }),
            metrics.tableThrottles(),
          ]),
        ],
        ...(intake ? [this.intakeGraphs(intake)] : []),
      ],
    });
  }

  private intakeGraphs({ events, deadLetters }: Intake): GraphWidget[] {
    return [
      graph(
        "Events",
        Object.values(outcomeMetrics).map((name) => this.metrics.counted(name, { id: serviceName })),
      ),
      graph("Event queue and dead letters", [
        events.metricApproximateNumberOfMessagesVisible({ period, label: "Waiting" }),
        events.metricApproximateNumberOfMessagesNotVisible({ period, label: "In flight or postponed" }),
        deadLetters.metricApproximateNumberOfMessagesVisible({ period, label: "Dead letters" }),
      ]),
    ];
  }

  private addIntakeAlarms({ events, deadLetters, recordEvents }: Intake) {
    const maximum = { period, statistic: "Maximum" };
    this.alarm(
      "DeadLetters",
      deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
      0,
      `Events could not be recorded. The log of ${serviceName} has the reasons`,
    );
    this.alarm(
      "EventsWait",
      events.metricApproximateAgeOfOldestMessage(maximum),
      longWait.toSeconds(),
      `The oldest event in the queue waits for more than ${longWait.toMinutes()} minutes`,
    );
    this.alarm(
      `${serviceName}Errors`,
      recordEvents.lambda.metricErrors({ period }),
      0,
      `${serviceName} crashed, or ran out of memory or time. It logs every other failure with its event`,
    );
  }

  private addApiAlarms() {
    const { metrics } = this;
    this.alarm("ServerErrorRate", metrics.serverErrorRate(), 1, "More than 1% of requests end with a 5xx");
    for (const route of this.props.api.routes) {
      const { id, streams } = route.operation;
      this.alarm(
        `${id}Latency`,
        metrics.latency(route, "p99"),
        slowP99.toMilliseconds(),
        `${id} is slow: the p99 of its ${streams ? "time to the first byte" : "latency"} is above ${slowP99.toSeconds()} seconds`,
      );
    }
    this.alarm(
      "Unauthorized",
      metrics.rejected("401"),
      100,
      "More than 100 requests in 5 minutes have no valid API key",
    );
    this.alarm(
      "RateExceeded",
      metrics.rejected("429"),
      100,
      "More than 100 requests in 5 minutes exceed a rate limit",
    );
  }

  private addFunctionAlarms() {
    for (const { operation, handler } of this.props.api.routes) {
      this.alarm(
        `${operation.id}Errors`,
        handler.lambda.metricErrors({ period }),
        0,
        `${operation.id} crashed, or ran out of memory or time. It responds to every other error itself`,
      );
      this.alarm(
        `${operation.id}Throttles`,
        handler.lambda.metricThrottles({ period }),
        0,
        `${operation.id} is throttled: it reached its concurrency limit`,
      );
    }
    this.alarm(
      "TableThrottles",
      this.metrics.tableThrottles(),
      10,
      "DynamoDB throttles more than 10 calls in 5 minutes",
    );
  }

  /** Adds an alarm for two of three periods above the limit. One cold start or one retry raises no alarm. */
  private alarm(id: string, metric: IMetric, above: number, alarmDescription: string) {
    const alarm = new Alarm(this, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      treatMissingData: TreatMissingData.NOT_BREACHING, // Without requests there is no data.
      alarmDescription,
    });
    const { alarmTopic } = this.props;
    if (alarmTopic === undefined) return;
    const action = new SnsAction(Topic.fromTopicArn(this, `${id}Topic`, alarmTopic));
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
