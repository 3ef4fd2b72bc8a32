/** Receives batches of events from the queue. Only failed events are retried. Logs never contain an event's text. */
import { setTimeout as sleep } from "node:timers/promises";
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Context, SQSEvent, SQSHandler, SQSRecord } from "aws-lambda";
import { RejectedError } from "../messages/rejected-error.ts";
import { loggableError } from "../table/table.ts";
import { uptimeMs } from "../time/clock.ts";
import { groupsOf, receivesOf } from "./batch-order.ts";
import { type MessageEvent, parseEvent } from "./event.ts";
import type { PostponeEvents } from "./event-queue.ts";
import { outcomeMetrics, serviceName } from "./metrics.ts";
import { MessageNotStoredYetError, type Result, TooLittleTimeError } from "./outcome.ts";
import { retrySeconds } from "./redelivery.ts";

/** If an event's message isn't stored yet, another invocation may be storing it, so we retry the event soon. */
const pausesMs = [100, 200, 400];

/**
 * A call to DynamoDB can take 12 s, so no transaction and no retry begins in the last 15 s of an invocation. After a
 * timeout, SQS would deliver the whole batch again.
 */
const marginMs = 15_000;

const isEarly = ({ error }: Result): boolean => error instanceof MessageNotStoredYetError;

const causeOf = (result: Result): object => {
  const { error } = result;
  if (!(error instanceof Error)) return {};
  const isReason = error instanceof RejectedError || isEarly(result) || error instanceof TooLittleTimeError;
  return isReason ? { reason: error.message } : { error: loggableError(error) };
};

type Taken = { sqsRecord: SQSRecord; event?: MessageEvent; result?: Result | undefined };

const take = (sqsRecord: SQSRecord): Taken => {
  try {
    return { sqsRecord, event: parseEvent(sqsRecord.body) };
  } catch (error) {
    return { sqsRecord, result: { outcome: "failed", error } };
  }
};

/** Without `ReportBatchItemFailures` in the event source mapping, Lambda would delete failed events from the queue. */
export const takeEvents = (
  record: (events: readonly MessageEvent[], deadline: number) => Promise<ReadonlyMap<MessageEvent, Result>>,
  postpone: PostponeEvents,
): SQSHandler => {
  const logger = new Logger({ serviceName });
  const metrics = new Metrics({ serviceName });

  const log = ({ sqsRecord, event, result = { outcome: "failed", error: undefined } }: Taken): void => {
    metrics.addMetric(outcomeMetrics[result.outcome], MetricUnit.Count, 1);
    const level = isEarly(result) ? "warn" : result.outcome === "failed" ? "error" : "info";
    logger[level]("event", {
      sqs_message_id: sqsRecord.messageId,
      receives: receivesOf(sqsRecord),
      type: event?.type,
      account_id: event?.account_id,
      outcome: result.outcome,
      ...causeOf(result),
    });
  };

  return async ({ Records }: SQSEvent, context: Context) => {
    logger.addContext(context);
    metrics.captureColdStartMetric();
    const deadline = uptimeMs() + context.getRemainingTimeInMillis() - marginMs;
    const batch = Records.map(take);
    for (const pause of [0, ...pausesMs]) {
      const due = batch.filter(({ result }) => !result || isEarly(result));
      if (due.length === 0) break;
      if (pause > 0) await sleep(pause);
      const received = due.flatMap(({ sqsRecord, event }) => (event ? { sqsRecord, event } : []));
      for (const events of groupsOf(received)) {
        const results = await record(events, deadline);
        for (const taken of due) if (taken.event && results.has(taken.event)) taken.result = results.get(taken.event);
      }
    }
    batch.forEach(log);
    const failed = batch.filter(({ result }) => !result || result.outcome === "failed");
    const retries = failed.map(({ sqsRecord }) => ({
      receiptHandle: sqsRecord.receiptHandle,
      seconds: retrySeconds(receivesOf(sqsRecord)),
    }));
    // If `postpone` fails, SQS delivers the failed events again after the queue's visibility timeout.
    if (retries.length > 0) {
      await postpone(retries).catch((error) => logger.error("postpone", { error: loggableError(error) }));
    }
    metrics.publishStoredMetrics();
    return { batchItemFailures: failed.map(({ sqsRecord }) => ({ itemIdentifier: sqsRecord.messageId })) };
  };
};
