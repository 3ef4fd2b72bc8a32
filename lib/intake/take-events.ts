/**
 * Takes a batch of events from the queue: each is recorded, or comes again by itself, and none fails another. Each
 * leaves one log line and a count; nothing of what the sender wrote is in them but ids of ours and the event's type.
 */
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Context, SQSBatchItemFailure, SQSEvent, SQSHandler, SQSRecord } from "aws-lambda";
import { MessageRejectedError } from "../messages/store-message.ts";
import { EventRejectedError, type MessageEvent, parseEvent } from "./event.ts";
import { outcomeMetrics, serviceName } from "./metric-names.ts";
import { MessageNotStoredYetError, type Outcome } from "./record-event.ts";

type Result = { event?: MessageEvent | undefined } & (
  | { outcome: Outcome }
  | { outcome: "failed"; error: Error }
);

/** For what a busy table may take: without it, Lambda would end the function, and all of the batch would come again. */
const enoughMilliseconds = 45_000;

class TimeIsUpError extends Error {
  override readonly name = "TimeIsUpError";

  constructor() {
    super("those before it in the batch have taken the time");
  }
}

const isExplained = (error: Error): boolean =>
  error instanceof EventRejectedError ||
  error instanceof MessageRejectedError ||
  error instanceof MessageNotStoredYetError ||
  error instanceof TimeIsUpError;

/** DynamoDB's errors carry the items they speak of: what is logged is named, not copied. */
const why = (error: Error) => {
  const { name, message, stack } = error;
  return isExplained(error) ? { reason: message } : { error: { name, message, stack } };
};

/**
 * Builds the Lambda handler of a queue whose event source reports failures one by one (`ReportBatchItemFailures`).
 *
 * @param record records one event; what it throws is logged, and the event comes again
 */
export const takeEvents = (record: (event: MessageEvent) => Promise<Outcome>): SQSHandler => {
  const logger = new Logger({ serviceName });
  const metrics = new Metrics({ serviceName });

  const take = async ({ body }: SQSRecord, context: Context): Promise<Result> => {
    let event: MessageEvent | undefined;
    try {
      if (context.getRemainingTimeInMillis() < enoughMilliseconds) throw new TimeIsUpError();
      event = parseEvent(body);
      return { event, outcome: await record(event) };
    } catch (error) {
      return { event, outcome: "failed", error: error as Error };
    }
  };

  const tell = ({ messageId, attributes }: SQSRecord, result: Result): void => {
    metrics.addMetric(outcomeMetrics[result.outcome], MetricUnit.Count, 1);
    logger["error" in result ? "error" : "info"]("event", {
      sqs_message_id: messageId,
      receives: Number(attributes.ApproximateReceiveCount),
      type: result.event?.type,
      account_id: result.event?.account_id,
      outcome: result.outcome,
      ...("error" in result && why(result.error)),
    });
  };

  const isEarly = (result: Result): boolean =>
    "error" in result && result.error instanceof MessageNotStoredYetError;

  return async ({ Records }: SQSEvent, context: Context) => {
    logger.addContext(context);
    metrics.captureColdStartMetric();
    const results = new Map<SQSRecord, Result>();
    // One after the other: an email of 40 MiB takes much of the memory. An event that came ahead of its message has
    // another turn behind it.
    for (const sqsRecord of Records) results.set(sqsRecord, await take(sqsRecord, context));
    for (const [sqsRecord, result] of results) {
      if (isEarly(result)) results.set(sqsRecord, await take(sqsRecord, context));
    }
    const batchItemFailures: SQSBatchItemFailure[] = [];
    for (const [sqsRecord, result] of results) {
      tell(sqsRecord, result);
      if ("error" in result) batchItemFailures.push({ itemIdentifier: sqsRecord.messageId });
    }
    metrics.publishStoredMetrics();
    return { batchItemFailures };
  };
};
