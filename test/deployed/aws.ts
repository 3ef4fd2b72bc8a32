/** What AWS says of a stack: what its roles may do, what is in its logs, and what it has counted. */
import { setTimeout as sleep } from "node:timers/promises";
import { CloudWatchClient, type Dimension, GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { type ContextEntry, IAMClient, SimulatePrincipalPolicyCommand } from "@aws-sdk/client-iam";

/** A call on the table, in IAM's terms: on the items under one partition key, or on any. */
export type TableCall = {
  action: "GetItem" | "Query" | "Scan" | "PutItem" | "UpdateItem" | "DeleteItem";
  key?: string;
  within?: "TransactWriteItems";
};

const contextOf = ({ key, within }: TableCall): ContextEntry[] =>
  Object.entries({ "dynamodb:LeadingKeys": key, "dynamodb:EnclosingOperation": within }).flatMap(
    ([ContextKeyName, value]) =>
      value === undefined
        ? []
        : [{ ContextKeyName, ContextKeyType: "stringList", ContextKeyValues: [value] }],
  );

/**
 * @param since when the checks began
 * @param pace how often what takes its time on AWS is asked for, and how many milliseconds lie between
 */
export const openAws = (since: Date, pace = { tries: 60, pause: 5000 }) => {
  const iam = new IAMClient();
  const logs = new CloudWatchLogsClient();
  const cloudWatch = new CloudWatchClient();

  return {
    /** Whether a role may make a call, by IAM's own decision. */
    mayCall: async (roleArn: string, tableArn: string, call: TableCall): Promise<boolean> => {
      const { EvaluationResults: [decided] = [] } = await iam.send(
        new SimulatePrincipalPolicyCommand({
          PolicySourceArn: roleArn,
          ActionNames: [`dynamodb:${call.action}`],
          ResourceArns: [tableArn],
          ContextEntries: contextOf(call),
        }),
      );
      return decided?.EvalDecision === "allowed";
    },

    /** The lines since the beginning of the checks that a CloudWatch Logs filter pattern matches. */
    linesOf: async (logGroupName: string, filterPattern: string): Promise<string[]> => {
      const lines: string[] = [];
      const pages = paginateFilterLogEvents(
        { client: logs },
        { logGroupName, filterPattern, startTime: since.getTime() },
      );
      for await (const { events = [] } of pages) lines.push(...events.map(({ message = "" }) => message));
      return lines;
    },

    /** What has been counted since the minute in which the checks began. */
    sumOf: async (namespace: string, metric: string, dimension: Dimension): Promise<number> => {
      const { Datapoints = [] } = await cloudWatch.send(
        new GetMetricStatisticsCommand({
          Namespace: namespace,
          MetricName: metric,
          Dimensions: [dimension],
          StartTime: new Date(since.getTime() - (since.getTime() % 60_000)),
          EndTime: new Date(Date.now() + 60_000),
          Period: 60,
          Statistics: ["Sum"],
        }),
      );
      return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
    },

    /**
     * Asks until the answer is one.
     *
     * @throws Error when it never is
     */
    eventually: async <T>(ask: () => Promise<T>, isOne: (answer: T) => boolean): Promise<T> => {
      for (let tried = 0; tried < pace.tries; tried++) {
        if (tried > 0) await sleep(pace.pause);
        const answer = await ask();
        if (isOne(answer)) return answer;
      }
      throw new Error(`not within ${(pace.tries * pace.pause) / 60_000} minutes`);
    },
  };
};
