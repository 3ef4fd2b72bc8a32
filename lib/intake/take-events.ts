/**
 * Receives batches of events from the queue, and records each event. An event that fails is retried, and the others of
 * its batch are not. Each attempt is one log line and one count. The log contains none of the sender's texts.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Context, SQSEvent, SQSHandler, SQSRecord } from "aws-lambda";
import { errorFields } from "../error-fields.ts";
import { isRejection, type MessageEvent, parseEvent } from "./event.ts";
import { retrySeconds } from "./event-lifetime.ts";
import type { PostponeEvents } from "./event-queue.ts";
import { outcomeMetrics, serviceName } from "./metric-names.ts";
import { MessageNotStoredYetError, type Outcome } from "./record-event.ts";

type Result = { event?: MessageEvent | undefined } & (
  | { outcome: Outcome }
  | { outcome: "failed"; error: Error }
);

/**
 * Another function often stores the message at this moment, so an early event is retried within the invocation. The
 * early events of a batch share these pauses.
 */
const pausesMs = [100, 200, 400];

/** A throttled table may need so long. If the function timed out, the whole batch would wait for the queue's timeout. */
const minimumMs = 45_000;

class TimeIsUpError extends Error {
  override readonly name = "TimeIsUpError";

  constructor() {
    super("too little time is left in this batch. The event will be retried");
  }
}

/** The reason has no texts of the sender. The message of another error may have some. */
const hasReason = (error: Error): boolean =>
  isRejection(error) || error instanceof MessageNotStoredYetError || error instanceof TimeIsUpError;

const isEarly = (result: Result): boolean =>
  "error" in result && result.error instanceof MessageNotStoredYetError;

const receivesOf = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount);

/**
 * Returns the Lambda handler of a queue whose event source reports failures per event (`ReportBatchItemFailures`).
 *
 * @param record records one event. If it throws, the error is logged, and the event is retried
 * @param postpone sets the time of an event's next delivery
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
      if (context.getRemainingTimeInMillis() < minimumMs) throw new TimeIsUpError();
      event = parseEvent(body);
      return { event, outcome: await record(event) };
    } catch (error) {
      return { event, outcome: "failed", error: error as Error };
    }
  };

  const log = (sqsRecord: SQSRecord, result: Result): void => {
    metrics.addMetric(outcomeMetrics[result.outcome], MetricUnit.Count, 1);
    const fields = {
      sqs_message_id: sqsRecord.messageId,
      receives: receivesOf(sqsRecord),
      type: result.event?.type,
      account_id: result.event?.account_id,
      outcome: result.outcome,
    };
    if ("error" in result) {
      const { error } = result;
      const cause = hasReason(error) ? { reason: error.message } : { error: errorFields(error) };
      logger[isEarly(result) ? "warn" : "error"]("event", { ...fields, ...cause });
    } else logger.info("event", fields);
  };

  return async ({ Records }: SQSEvent, context: Context) => {
    logger.addContext(context);
    metrics.captureColdStartMetric();
    const results = new Map<SQSRecord, Result>();
    // One event at a time, because an email of 40 MiB takes much of the memory.
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
    // An event that is not postponed is retried after the queue's own visibility timeout.
    if (retries.length > 0) {
      await postpone(retries).catch((error) => logger.error("postpone", { error: errorFields(error) }));
    }
    metrics.publishStoredMetrics();
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};
