/** What an operator looks at, and what wakes them. */
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
import type { Api, Route } from "./api.ts";
import type { Intake } from "./intake.ts";
import { Metrics, period } from "./metrics.ts";
import type { ServiceTable } from "./service-table.ts";

export type MonitoringProps = {
  stage: string;
  api: Api;
  routes: readonly Route[];
  table: ServiceTable;
  intake: Intake | undefined;
  /** The ARN of the topic that hears of alarms. Without one they only show. */
  alarmTopic: string | undefined;
};

const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12 });

/** How long an event waits at most: two tries of one that came ahead of its message. */
const longWait = Duration.minutes(30);

/** What a healthy p99 stays below. */
const slow = Duration.seconds(2);

/** A dashboard from traffic to table, and an alarm for each way in which the service fails its callers. */
export class Monitoring extends Construct {
  readonly dashboard: Dashboard;
  private readonly props: MonitoringProps;
  private readonly metrics: Metrics;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.props = props;
    this.metrics = new Metrics(this, "Metrics", props);
    this.dashboard = this.addDashboard();
    this.addAlarms();
  }

  private addDashboard(): Dashboard {
    const { metrics } = this;
    const { stage, api, routes, table, intake } = this.props;
    const operations = routes.map(({ operation }) => operation);
    return new Dashboard(this, "Dashboard", {
      dashboardName: `EmailApi-${stage}-${Stack.of(this).region}`, // an account's dashboards have no regions
      widgets: [
        [
          graph(
            "Requests",
            api.methods.map((method) => metrics.requests(method)),
          ),
          graph("Errors answered", [
            metrics.clientErrors(),
            metrics.refused("401"),
            metrics.refused("429"),
            metrics.serverErrors(),
            ...operations.map((operation) => metrics.counted(metricNames.serverError, operation)),
          ]),
        ],
        api.methods.map((method) =>
          graph(
            `${method.operation.id}: ms to the ${method.operation.streams ? "first" : "last"} byte`,
            ["p50", "p90", "p99"].map((statistic) => metrics.latency(method, statistic)),
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
      graph("Events that wait, and dead letters", [
        events.metricApproximateNumberOfMessagesVisible({ period, label: "Waiting" }),
        events.metricApproximateNumberOfMessagesNotVisible({ period, label: "Under way" }),
        deadLetters.metricApproximateNumberOfMessagesVisible({ period, label: "Dead letters" }),
      ]),
    ];
  }

  private addIntakeAlarms({ events, deadLetters, recordEvents }: Intake) {
    const statistic = "Maximum";
    this.alarm(
      "DeadLetters",
      deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic }),
      0,
      "Events could not be recorded: the log of RecordEvents says why",
    );
    this.alarm(
      "EventsWait",
      events.metricApproximateAgeOfOldestMessage({ period, statistic }),
      longWait.toSeconds(),
      `The oldest event waits for over ${longWait.toMinutes()} minutes`,
    );
    this.alarm(
      `${serviceName}Errors`,
      recordEvents.lambda.metricErrors({ period }),
      0,
      `${serviceName} crashes, runs out of memory or out of time: it reports every other failure by its event`,
    );
  }

  private addAlarms() {
    const { metrics } = this;
    const { api, routes, intake } = this.props;
    if (intake) this.addIntakeAlarms(intake);
    this.alarm("ServerErrorRate", metrics.serverErrorRate(), 1, "More than 1% of all requests end in a 5xx");
    for (const method of api.methods) {
      const { id, streams } = method.operation;
      this.alarm(
        `${id}Latency`,
        metrics.latency(method, "p99"),
        slow.toMilliseconds(),
        `One in a hundred ${id} takes over ${slow.toSeconds()} seconds${streams ? " to begin" : ""}`,
      );
    }
    this.alarm(
      "Unauthorized",
      metrics.refused("401"),
      100,
      "Over 100 requests in 5 minutes have no valid key",
    );
    this.alarm("RateExceeded", metrics.refused("429"), 100, "Over 100 requests in 5 minutes exceed a rate");
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
        `${operation.id} runs as often at once as it may`,
      );
    }
    this.alarm(
      "TableThrottles",
      metrics.tableThrottles(),
      10,
      "DynamoDB turns away over 10 calls on the table in 5 minutes",
    );
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
