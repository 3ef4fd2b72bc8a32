/** The dashboard, and an alarm for each kind of failure that callers would notice. */
import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type Dashboard, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { serviceName } from "../../lib/events/metrics.ts";
import { addDashboard } from "./dashboard.ts";
import type { Intake } from "./intake.ts";
import { type Measured, Metrics, period } from "./metrics.ts";

export type MonitoringProps = Measured & {
  intake: Intake | undefined;
  /** The ARN of the SNS topic that alarms notify. Without a topic, alarms are visible only in CloudWatch. */
  alarmTopic: string | undefined;
};

/**
 * A failing event doesn't start this alarm, because the metric leaves out messages that SQS has delivered more than
 * three times.
 */
const longWait = Duration.minutes(30);

/** At 100 KB, an email costs about seven times as much as one of 12 KB. */
const largeEmailUnits = 100;

const slowP99 = Duration.seconds(2);

export class Monitoring extends Construct {
  readonly dashboard: Dashboard;
  private readonly props: MonitoringProps;
  private readonly metrics: Metrics;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    this.props = props;
    this.metrics = new Metrics(this, "Metrics", props);
    this.dashboard = addDashboard(this, { ...props, metrics: this.metrics });
    if (props.intake) this.addIntakeAlarms(props.intake);
    this.addApiAlarms();
    this.addFunctionAlarms();
  }

  private addIntakeAlarms({ events, deadLetters, recordEvents }: Intake) {
    const maximum = { period, statistic: "Maximum" };
    this.alarm(
      "DeadLetters",
      deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
      0,
      `Events could not be recorded. The log of ${serviceName} has the reason of each`,
      { periods: 1, bad: 1 }, // A dead letter doesn't go away by itself.
    );
    this.alarm(
      "EventsWait",
      events.metricApproximateAgeOfOldestMessage(maximum),
      longWait.toSeconds(),
      `The oldest event has waited for more than ${longWait.toMinutes()} minutes`,
    );
    this.alarm(
      "LargeEmails",
      this.metrics.unitsPerEvent(),
      largeEmailUnits,
      `An event writes more than ${largeEmailUnits} units on average, so large emails decide the bill`,
      { periods: 1, bad: 1 }, // of a day
    );
    this.alarm(
      `${serviceName}Errors`,
      recordEvents.lambda.metricErrors({ period }),
      0,
      `${serviceName} crashed, or ran out of memory or time. SQS delivers the events again`,
      { section: "Errors" },
    );
  }

  private addApiAlarms() {
    const { metrics } = this;
    this.alarm("ServerErrorRate", metrics.serverErrorRate(), 1, `More than 1% of requests end with a 5xx`);
    for (const route of this.props.api.routes) {
      const { id, streams } = route.operation;
      this.alarm(
        `${id}Latency`,
        metrics.latency(route, "p99"),
        slowP99.toMilliseconds(),
        `${id} is slow: the p99 of its ${streams ? "time to the first byte" : "latency"} is above ${slowP99.toSeconds()} seconds`,
        { section: "Latency" },
      );
    }
    this.alarm("Unauthorized", metrics.rejected("401"), 100, `More than 100 requests have no valid API key`);
    this.alarm("RateExceeded", metrics.rejected("429"), 100, `More than 100 requests exceed a rate limit`);
  }

  private addFunctionAlarms() {
    for (const { operation, handler } of this.props.api.routes) {
      this.alarm(
        `${operation.id}Errors`,
        handler.lambda.metricErrors({ period }),
        0,
        `${operation.id} crashed, or ran out of memory or time`,
        { section: "Errors" },
      );
      this.alarm(
        `${operation.id}Throttles`,
        handler.lambda.metricThrottles({ period }),
        0,
        `${operation.id} reached its concurrency limit`,
        { section: "Throttles" },
      );
    }
    this.alarm("TableThrottles", this.metrics.tableThrottles(), 10, `DynamoDB throttles more than 10 calls`);
  }

  /**
   * Names the alarm's section of the runbook, which the same alarms of several functions share.
   *
   * One cold start alone must not cause an alarm, so most alarms need two bad periods out of three.
   */
  private alarm(
    id: string,
    metric: IMetric,
    above: number,
    meaning: string,
    { periods = 3, bad = 2, section = id }: { periods?: number; bad?: number; section?: string } = {},
  ) {
    const alarm = new Alarm(this, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: bad,
      treatMissingData: TreatMissingData.NOT_BREACHING, // Without requests, CloudWatch has no data.
      alarmDescription: `${meaning}: see "${section}" in infra/admin/README.md`,
    });
    const { alarmTopic } = this.props;
    if (alarmTopic === undefined) return;
    const action = new SnsAction(Topic.fromTopicArn(this, `${id}Topic`, alarmTopic));
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
