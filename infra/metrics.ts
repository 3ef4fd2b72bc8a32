/** The CloudWatch metrics of the dashboard and of the alarms. */
import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { metricNamespace } from "../lib/api/metric-names.ts";
import type { Api, Route } from "./api.ts";
import { type LogMetric, rejections, timeToFirstByte } from "./log-metrics.ts";
import type { ServiceTable } from "./service-table.ts";

export type Measured = { stage: string; api: Api; table: ServiceTable };

/** The period of every metric. */
export const period = Duration.minutes(5);

const sum = { statistic: "Sum", period };

/** The metrics of the API, its functions and its table. */
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

  requests({ operation, method }: Route): IMetric {
    return method.metricCount(this.gatewayStage, { period, label: operation.id });
  }

  clientErrors(): IMetric {
    return this.measured.api.restApi.metricClientError({ ...sum, label: "4xx" });
  }

  serverErrors(): IMetric {
    return this.measured.api.restApi.metricServerError({ ...sum, label: "5xx" });
  }

  /** Returns the percentage of requests that end with a 5xx. */
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

  /** Returns milliseconds. The latency of a stream is its time to the first byte, because a slow caller delays later bytes. */
  latency({ operation, method }: Route, statistic: string): IMetric {
    return operation.streams
      ? this.custom(timeToFirstByte.name, { service: operation.id }, statistic, statistic)
      : method.metricLatency(this.gatewayStage, { statistic, period, label: statistic });
  }

  /** Returns a metric that a function counts with Powertools. */
  counted(name: string, { id }: { id: string }): IMetric {
    return this.custom(name, { service: id }, "Sum", `${id} ${name}`);
  }

  /** Returns the number of throttled reads and writes. DynamoDB publishes only numbers above 0, so FILL adds 0. */
  tableThrottles(): IMetric {
    const { table } = this.measured;
    return new MathExpression({
      expression: "FILL(reads, 0) + FILL(writes, 0)",
      usingMetrics: {
        reads: table.metric("ReadThrottleEvents", sum),
        writes: table.metric("WriteThrottleEvents", sum),
      },
      period,
      label: "Throttled reads and writes",
    });
  }

  private get gatewayStage() {
    return this.measured.api.restApi.deploymentStage;
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

  private custom(
    metricName: string,
    dimensionsMap: Record<string, string>,
    statistic: string,
    label: string,
  ) {
    return new Metric({ namespace: this.namespace, metricName, dimensionsMap, statistic, period, label });
  }
}
