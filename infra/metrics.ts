/** What is measured, and under which names CloudWatch has it: for the dashboard and the alarms. */
import { Duration } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { metricNamespace } from "../lib/api/metric-names.ts";
import { type AccessLogMetric, refusals, timeToFirstByte } from "./access-log.ts";
import type { Api } from "./api.ts";
import type { ServiceTable } from "./service-table.ts";

export type Measured = { stage: string; api: Api; table: ServiceTable };

/** Every metric is over this time. */
export const period = Duration.minutes(5);

/** The metrics of the API, its functions and its table, and those that CloudWatch Logs reads from the log. */
export class Metrics extends Construct {
  private readonly measured: Measured;
  private readonly namespace: string;

  constructor(scope: Construct, id: string, measured: Measured) {
    super(scope, id);
    this.measured = measured;
    this.namespace = metricNamespace(measured.stage);
    for (const metric of [timeToFirstByte, refusals]) this.addFilter(metric);
  }

  requests({ operation, method }: Api["methods"][number]): IMetric {
    return method.metricCount(this.gatewayStage, { period, label: operation.id });
  }

  clientErrors(): IMetric {
    return this.measured.api.restApi.metricClientError({ statistic: "Sum", period, label: "4xx" });
  }

  serverErrors(): IMetric {
    return this.measured.api.restApi.metricServerError({ statistic: "Sum", period, label: "5xx" });
  }

  /** In percent of the requests. */
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

  /** Requests that were turned away whatever they asked for. */
  refused(status: "401" | "429"): IMetric {
    return this.logged(refusals, status, "Sum", status);
  }

  /** In milliseconds. A stream lasts as long as its reader: its first byte is what the service answers for. */
  latency({ operation, method }: Api["methods"][number], statistic: string): IMetric {
    return operation.streams
      ? this.logged(timeToFirstByte, `${operation.method} ${operation.path}`, statistic, statistic)
      : method.metricLatency(this.gatewayStage, { statistic, period, label: statistic });
  }

  /** What a function counts. */
  counted(name: string, { id }: { id: string }): IMetric {
    return new Metric({
      namespace: this.namespace,
      metricName: name,
      dimensionsMap: { service: id },
      statistic: "Sum",
      period,
      label: `${id} ${name}`,
    });
  }

  /** Throttled calls on the table, reads and writes. DynamoDB reports none where there are none. */
  tableThrottles(): IMetric {
    const { table } = this.measured;
    return new MathExpression({
      expression: "FILL(reads, 0) + FILL(writes, 0)",
      usingMetrics: {
        reads: table.metric("ReadThrottleEvents", { statistic: "Sum", period }),
        writes: table.metric("WriteThrottleEvents", { statistic: "Sum", period }),
      },
      period,
      label: "Throttled table calls",
    });
  }

  private get gatewayStage(): Stage {
    return this.measured.api.restApi.deploymentStage;
  }

  private addFilter({ name, lines, value, dimension }: AccessLogMetric) {
    new MetricFilter(this, name, {
      logGroup: this.measured.api.accessLog,
      filterPattern: lines,
      metricNamespace: this.namespace,
      metricName: name,
      metricValue: value,
      dimensions: { [dimension]: `$.${dimension}` },
    });
  }

  private logged({ name, dimension }: AccessLogMetric, of: string, statistic: string, label: string): Metric {
    return new Metric({
      namespace: this.namespace,
      metricName: name,
      dimensionsMap: { [dimension]: of },
      statistic,
      period,
      label,
    });
  }
}
