/** The CloudWatch metrics of the dashboard and of the alarms. */
import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { outcomeMetrics, serviceName } from "../../lib/events/metrics.ts";
import { metricNamespace } from "../../lib/http/metrics.ts";
import { personIndex } from "../../lib/table/keys.ts";
import type { Api, Route } from "./api.ts";
import type { ServiceTable } from "./service-table.ts";

export type Measured = { stage: string; api: Api; table: ServiceTable };

export const period = Duration.minutes(5);

const sum = { statistic: "Sum", period };

/**
 * A metric that CloudWatch extracts from a log. `dimension` names a field of the log line, whose value becomes the
 * metric's dimension.
 */
type LogMetric = { name: string; lines: IFilterPattern; value: string; dimension: string };

export const timeToFirstByte: LogMetric = {
  name: "TimeToFirstByte",
  lines: FilterPattern.exists("$.time_to_first_byte_ms"),
  value: "$.time_to_first_byte_ms",
  dimension: "service",
};

/** We count 401 and 429 in the access log, because a throttled request never reaches a function. */
export const rejections: LogMetric = {
  name: "Rejected",
  lines: FilterPattern.any(
    FilterPattern.stringValue("$.status", "=", "401"),
    FilterPattern.stringValue("$.status", "=", "429"),
  ),
  value: "1",
  dimension: "status",
};

export class Metrics extends Construct {
  private readonly measured: Measured;
  private readonly namespace: string;

  constructor(scope: Construct, id: string, measured: Measured) {
    super(scope, id);
    const { stage, api } = measured;
    this.measured = measured;
    this.namespace = metricNamespace(stage);
    this.addFilter(rejections, api.accessLog, rejections.name);
    for (const { operation, handler } of api.routes) {
      if (operation.streams) {
        this.addFilter(timeToFirstByte, handler.logGroup, `${operation.id}${timeToFirstByte.name}`);
      }
    }
  }

  serverErrors(): IMetric {
    return this.measured.api.restApi.metricServerError({ ...sum, label: "5xx" });
  }

  serverErrorRate(): IMetric {
    return new MathExpression({
      expression: "100 * errors / requests",
      usingMetrics: {
        errors: this.serverErrors(),
        requests: this.measured.api.restApi.metricCount({ statistic: "SampleCount", period }),
      },
      period,
      label: "5xx, % of requests",
    });
  }

  rejected(status: "401" | "429"): IMetric {
    return this.custom(rejections.name, { [rejections.dimension]: status }, "Sum", status);
  }

  /**
   * For a streamed response, we measure the time to the first byte, because the later bytes can wait for a slow caller.
   */
  latency({ operation, method }: Route, statistic: string): IMetric {
    const { deploymentStage } = this.measured.api.restApi;
    return operation.streams
      ? this.custom(timeToFirstByte.name, { service: operation.id }, statistic, statistic)
      : method.metricLatency(deploymentStage, { statistic, period, label: statistic });
  }

  /** A metric that a function publishes with Powertools. */
  counted(name: string, { id }: { id: string }): Metric {
    return this.custom(name, { service: id }, "Sum", `${id} ${name}`);
  }

  /** DynamoDB reports no zeros: without throttling, the metric has no data, and FILL adds the zeros. */
  tableThrottles(): IMetric {
    return new MathExpression({
      expression: "FILL(reads, 0) + FILL(writes, 0) + FILL(indexed, 0)",
      usingMetrics: {
        reads: this.ofTable("ReadThrottleEvents"),
        writes: this.ofTable("WriteThrottleEvents"),
        indexed: this.ofIndex("WriteThrottleEvents"),
      },
      period,
      label: "Throttled reads and writes",
    });
  }

  /** Of a day: small events write 4 units, and an email one for each KB. A few events would say nothing. */
  unitsPerEvent(): IMetric {
    const day = { statistic: "Sum", period: Duration.days(1) };
    return new MathExpression({
      expression: "IF(events > 1000, units / events, 0)",
      usingMetrics: {
        units: this.measured.table.metricConsumedWriteCapacityUnits(day),
        events: this.counted(outcomeMetrics.recorded, { id: serviceName }).with(day),
      },
      period: day.period,
      label: "Write units per event",
    });
  }

  /** A hot key and a used up quota need different answers. Of the index, only a person can be hot. */
  throttleCauses(): IMetric[] {
    return [
      this.ofTable("ReadKeyRangeThroughputThrottleEvents", "A hot key is read"),
      this.ofTable("WriteKeyRangeThroughputThrottleEvents", "A hot key is written"),
      this.ofIndex("WriteKeyRangeThroughputThrottleEvents", "A hot person is written"),
      this.ofTable("ReadAccountLimitThrottleEvents", "The quota of reads"),
      this.ofTable("WriteAccountLimitThrottleEvents", "The quota of writes"),
    ];
  }

  private ofTable(name: string, label = name): IMetric {
    return this.measured.table.metric(name, { ...sum, label });
  }

  private ofIndex(name: string, label = name): IMetric {
    const { tableName: TableName } = this.measured.table;
    return this.measured.table.metric(name, {
      ...sum,
      label,
      dimensionsMap: { TableName, GlobalSecondaryIndexName: personIndex.name },
    });
  }

  private addFilter({ name, lines, value, dimension }: LogMetric, logGroup: ILogGroup, id: string) {
    new MetricFilter(this, id, {
      logGroup,
      filterPattern: lines,
      metricNamespace: this.namespace,
      metricName: name,
      metricValue: value,
      dimensions: { [dimension]: `$.${dimension}` },
    });
  }

  private custom(metricName: string, dimensionsMap: Record<string, string>, statistic: string, label: string) {
    return new Metric({ namespace: this.namespace, metricName, dimensionsMap, statistic, period, label });
  }
}
