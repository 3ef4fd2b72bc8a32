/** A dashboard, and one alarm for each kind of failure that callers would notice. */
import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type Dashboard,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { serviceName } from "../../lib/intake/metrics.ts";
import { addDashboard } from "./dashboard.ts";
import type { Intake } from "./intake.ts";
import { type Measured, Metrics, period } from "./metrics.ts";

export type MonitoringProps = Measured & {
  intake: Intake | undefined;
  /** The ARN of the SNS topic that alarms notify. Without a topic, alarms appear only in CloudWatch. */
  alarmTopic: string | undefined;
};

/** The alarm threshold for the age of the oldest event. SQS ignores events that it delivered more than three times. */
const longWait = Duration.minutes(30);

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
      `Events could not be recorded. The log of ${serviceName} has the reason of each: see "Dead letters" in infra/admin/README.md`,
      { periods: 1, bad: 1 }, // A letter doesn't go away by itself.
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
    this.alarm("Unauthorized", metrics.rejected("401"), 100, "More than 100 requests have no valid API key");
    this.alarm("RateExceeded", metrics.rejected("429"), 100, "More than 100 requests exceed a rate limit");
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
    this.alarm("TableThrottles", this.metrics.tableThrottles(), 10, "DynamoDB throttles more than 10 calls");
  }

  /** One cold start can push a single 5-minute period over a limit, so most alarms wait for two bad ones of three. */
  private alarm(
    id: string,
    metric: IMetric,
    above: number,
    alarmDescription: string,
    { periods, bad } = { periods: 3, bad: 2 },
  ) {
    const alarm = new Alarm(this, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: bad,
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
