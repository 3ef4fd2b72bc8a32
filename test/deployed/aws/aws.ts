/** Asks AWS about a stack: what its roles may do, its logs and its metrics. */
import { CloudWatchClient, type Dimension, GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { type ContextEntry, IAMClient, SimulatePrincipalPolicyCommand } from "@aws-sdk/client-iam";
import { itemTypes } from "../../../lib/table/keys.ts";
import type { Permission } from "../../../lib/table/permission.ts";

const transaction = "TransactWriteItems";
const actions = ["GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem"];

/** Such as `PutItem on USER# in a transaction`. */
const nameOf = (action: string, prefix: string, within: string | undefined): string =>
  `${action} on ${prefix || "no key"}${within ? " in a transaction" : ""}`;

/** The calls that the permissions allow, by name. */
export const grantedCalls = (permissions: readonly Permission[]): string[] => {
  const inTransaction = permissions.filter(({ within }) => within).flatMap(({ on }) => on);
  const names = permissions.flatMap(({ call, on, within }) =>
    within
      ? inTransaction.map((prefix) => nameOf(call, prefix, within)) // The statement names every key of the transaction.
      : on.flatMap((prefix) => [undefined, transaction].map((one) => nameOf(call, prefix, one))),
  );
  return [...new Set(names)].toSorted();
};

const contextOf = (prefix: string, within: string | undefined): ContextEntry[] =>
  Object.entries({ "dynamodb:LeadingKeys": prefix && `${prefix}1`, "dynamodb:EnclosingOperation": within })
    .filter(([, value]) => value)
    .map(([ContextKeyName, value]) => ({
      ContextKeyName,
      ContextKeyType: "stringList",
      ContextKeyValues: [value ?? ""],
    }));

/** The calls on the table that IAM lets a role make, by name. */
export const allowedCalls = async (roleArn: string, tableArn: string): Promise<string[]> => {
  const iam = new IAMClient();
  const allowed: string[] = [];
  for (const prefix of ["", ...Object.values(itemTypes)]) {
    for (const within of [undefined, transaction]) {
      const { EvaluationResults = [] } = await iam.send(
        new SimulatePrincipalPolicyCommand({
          PolicySourceArn: roleArn,
          ActionNames: actions.map((action) => `dynamodb:${action}`),
          ResourceArns: [tableArn],
          ContextEntries: contextOf(prefix, within),
        }),
      );
      for (const { EvalActionName = "", EvalDecision } of EvaluationResults) {
        if (EvalDecision === "allowed") allowed.push(nameOf(EvalActionName.split(":")[1] ?? "", prefix, within));
      }
    }
  }
  return allowed.toSorted();
};

/** The lines of a log group since a time, with this phrase in them. */
export const logLines = async (logGroupName: string, phrase: string, since: Date): Promise<string[]> => {
  const lines: string[] = [];
  const pages = paginateFilterLogEvents(
    { client: new CloudWatchLogsClient() },
    { logGroupName, filterPattern: `"${phrase}"`, startTime: since.getTime() },
  );
  for await (const { events = [] } of pages) lines.push(...events.map(({ message = "" }) => message));
  return lines;
};

/** A metric's sum since the minute of a time. */
export const metricSum = async (
  metric: { namespace: string; name: string; dimension: Dimension },
  since: Date,
): Promise<number> => {
  const { Datapoints = [] } = await new CloudWatchClient().send(
    new GetMetricStatisticsCommand({
      Namespace: metric.namespace,
      MetricName: metric.name,
      Dimensions: [metric.dimension],
      StartTime: new Date(since.getTime() - (since.getTime() % 60_000)),
      EndTime: new Date(Date.now() + 60_000),
      Period: 60,
      Statistics: ["Sum"],
    }),
  );
  return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
};
