/**
 * Receives batches of events from the queue, and records each event. Only the failed events of a batch are retried.
 * Each attempt writes one log line and one metric. The log never contains the content of an event.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Context, SQSEvent, SQSHandler, SQSRecord } from "aws-lambda";
import { errorFields } from "../error-fields.ts";
import { isRejection, type MessageEvent, parseEvent } from "./event.ts";
import { retrySeconds } from "./event-lifetime.ts";
import type { PostponeEvents } from "./event-queue.ts";
import { outcomeMetrics, serviceName } from "./metrics.ts";
import { MessageNotStoredYetError, type Outcome } from "./record-event.ts";

type Result = { event?: MessageEvent | undefined; outcome: Outcome | "failed"; error?: unknown };

/**
 * The pauses in milliseconds before the function retries an event whose message is not stored yet. The function waits,
 * because another invocation of the function may soon store the message.
 */
const pausesMs = [100, 200, 400];

/** Recording an event may take 45 s if DynamoDB throttles requests. After a timeout, SQS redelivers the batch. */
const minimumMs = 45_000;

const timeIsUp = new Error("too little time is left in this batch. The event will be retried");

const isEarly = ({ error }: Result): boolean => error instanceof MessageNotStoredYetError;

const causeOf = (result: Result): object => {
  const { error } = result;
  if (!(error instanceof Error)) return {};
  const isReason = isRejection(error) || isEarly(result) || error === timeIsUp;
  return isReason ? { reason: error.message } : { error: errorFields(error) };
};

const receivesOf = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount);

/**
 * Returns the Lambda handler of the event queue. The event source mapping must set `ReportBatchItemFailures`.
 *
 * @param record records one event. If it throws, the error is logged, and the event is retried
 */
export const takeEvents = (
  record: (event: MessageEvent) => Promise<Outcome>,
  postpone: PostponeEvents,
): SQSHandler => {
  const logger = new Logger({ serviceName });
  const metrics = new Metrics({ serviceName });

  const take = async ({ body }: SQSRecord, context: Context): Promise<Result> => {
    let event: MessageEvent | undefined;
    try {
      if (context.getRemainingTimeInMillis() < minimumMs) throw timeIsUp;
      event = parseEvent(body);
      return { event, outcome: await record(event) };
    } catch (error) {
      return { event, outcome: "failed", error };
    }
  };

  const log = (sqsRecord: SQSRecord, result: Result): void => {
    metrics.addMetric(outcomeMetrics[result.outcome], MetricUnit.Count, 1);
    const level = isEarly(result) ? "warn" : result.outcome === "failed" ? "error" : "info";
    logger[level]("event", {
      sqs_message_id: sqsRecord.messageId,
      receives: receivesOf(sqsRecord),
      type: result.event?.type,
      account_id: result.event?.account_id,
      outcome: result.outcome,
      ...causeOf(result),
    });
  };

  return async ({ Records }: SQSEvent, context: Context) => {
    logger.addContext(context);
    metrics.captureColdStartMetric();
    const results = new Map<SQSRecord, Result>();
    // The function records one event at a time, because one email of 40 MiB needs much of the function's memory.
    for (const sqsRecord of Records) results.set(sqsRecord, await take(sqsRecord, context));
    for (const pause of pausesMs) {
      const early = [...results].filter(([, result]) => isEarly(result));
      if (early.length > 0) await sleep(pause);
      for (const [sqsRecord] of early) results.set(sqsRecord, await take(sqsRecord, context));
    }
    for (const [sqsRecord, result] of results) log(sqsRecord, result);
    const failed = Records.filter((sqsRecord) => results.get(sqsRecord)?.outcome === "failed");
    const retries = failed.map((sqsRecord) => ({
      receiptHandle: sqsRecord.receiptHandle,
      seconds: retrySeconds(receivesOf(sqsRecord)),
    }));
    // If `postpone` fails, SQS delivers the failed events again after the queue's visibility timeout.
    if (retries.length > 0) {
      await postpone(retries).catch((error) => logger.error("postpone", { error: errorFields(error) }));
    }
    metrics.publishStoredMetrics();
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};
