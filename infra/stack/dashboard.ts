/** The dashboard in CloudWatch shows requests and errors first, then latencies, then the likely causes. */
import { Stack } from "aws-cdk-lib";
import { Dashboard, GraphWidget, type IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { outcomeMetrics, serviceName } from "../../lib/events/metrics.ts";
import { metricNames } from "../../lib/http/metrics.ts";
import type { Intake } from "./intake.ts";
import { type Measured, type Metrics, period } from "./metrics.ts";

const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12 });

const intakeGraphs = (metrics: Metrics, { events, deadLetters }: Intake): GraphWidget[] => [
  graph(
    "Events",
    Object.values(outcomeMetrics).map((name) => metrics.counted(name, { id: serviceName })),
  ),
  graph("Event queue and dead letters", [
    events.metricApproximateNumberOfMessagesVisible({ period, label: "Waiting" }),
    events.metricApproximateNumberOfMessagesNotVisible({ period, label: "In flight or postponed" }),
    deadLetters.metricApproximateNumberOfMessagesVisible({ period, label: "Dead letters" }),
  ]),
];

export const addDashboard = (
  scope: Construct,
  { stage, api, table, metrics, intake }: Measured & { metrics: Metrics; intake: Intake | undefined },
): Dashboard => {
  const operations = api.routes.map(({ operation }) => operation);
  return new Dashboard(scope, "Dashboard", {
    // Dashboards are global in an AWS account, so their names must contain the region.
    dashboardName: `EmailApi-${stage}-${Stack.of(scope).region}`,
    widgets: [
      [
        graph(
          "Requests",
          api.routes.map(({ operation, method }) =>
            method.metricCount(api.restApi.deploymentStage, { period, label: operation.id }),
          ),
        ),
        graph("Error responses", [
          api.restApi.metricClientError({ period, label: "4xx" }),
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
      [graph("Throttles of the table by cause", metrics.throttleCauses())],
      ...(intake ? [intakeGraphs(metrics, intake)] : []),
    ],
  });
};
