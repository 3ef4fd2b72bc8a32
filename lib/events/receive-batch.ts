/** Receives batches of events from the queue. Only failed events are retried. Logs never contain an event's text. */
import { setTimeout as sleep } from "node:timers/promises";
import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { Context, SQSEvent, SQSHandler, SQSRecord } from "aws-lambda";
import { RejectedError } from "../messages/rejected-error.ts";
import { sha256 } from "../table/keys.ts";
import { loggableError } from "../table/table.ts";
import { uptimeMs } from "../time/clock.ts";
import { groupsOf, receivesOf } from "./batch-order.ts";
import type { MessageEvent } from "./event.ts";
import type { PostponeEvents } from "./event-queue.ts";
import { outcomeMetrics, serviceName } from "./metrics.ts";
import { failed, MessageNotStoredYetError, type Result, TooLittleTimeError } from "./outcome.ts";
import { retrySeconds } from "./redelivery.ts";
import type { Sender } from "./senders.ts";
import { type Translated, translate } from "./translate.ts";

/** If an event's message isn't stored yet, another invocation may be storing it, so we retry the event soon. */
const pausesMs = [100, 200, 400];

/**
 * A call to DynamoDB can take 12 s, so no transaction and no retry begins in the last 15 s of an invocation. After a
 * timeout, SQS would deliver the whole batch again.
 */
const marginMs = 15_000;

const isEarly = ({ error }: { error?: unknown }): boolean => error instanceof MessageNotStoredYetError;

const causeOf = (result: { error?: unknown }): object => {
  const { error } = result;
  if (!(error instanceof Error)) return {};
  const isReason = error instanceof RejectedError || isEarly(result) || error instanceof TooLittleTimeError;
  return isReason ? { reason: error.message } : { error: loggableError(error) };
};

type FindSender = (name: string) => Promise<Sender>;

/** One body of the queue can be several events, such as one for each recipient of an email. */
type Taken = Translated & { sqsRecord: SQSRecord; error?: unknown };

const take = async (sqsRecord: SQSRecord, find: FindSender): Promise<Taken> => {
  try {
    return { sqsRecord, ...(await translate(sqsRecord.body, find)) };
  } catch (error) {
    return { sqsRecord, events: [], error };
  }
};

type Results = Map<MessageEvent, Result>;

const isOpen = (result: Result | undefined): boolean => !result || isEarly(result);

/** Returns the events that are still to be recorded, and the messages that they turned out to lack. */
const dueOf = ({ events, missing = [] }: Taken, results: Results): MessageEvent[] => {
  const due = events.filter((event) => isOpen(results.get(event)));
  const lacking = new Set(due.filter((event) => results.has(event)).map(({ message }) => message.id));
  return [...missing.filter(({ message }) => lacking.has(message.id)), ...due];
};

const resultsOf = ({ events, missing = [], error }: Taken, results: Results): Result[] =>
  error === undefined
    ? [...events, ...missing.filter((event) => results.has(event))].map((event) => results.get(event) ?? failed(error))
    : [failed(error)];

/** Who sends events chooses their ids, and may have put an address into them. */
const loggableId = (id: string): string => (id.includes("@") ? sha256(id) : id);

const order = ["failed", "recorded", "expired", "repeated"];

/** A body that is not about a message has no events, and is ignored. */
const worstOf = (results: readonly Result[]): Result | { outcome: "ignored"; error?: never } => {
  const rank = (result: Result): number => order.indexOf(result.outcome) + (isEarly(result) ? 0.5 : 0);
  return results.toSorted((a, b) => rank(a) - rank(b))[0] ?? { outcome: "ignored" };
};

/** Without `ReportBatchItemFailures` in the event source mapping, Lambda would delete failed events from the queue. */
export const takeEvents = (
  record: (events: readonly MessageEvent[], deadline: number) => Promise<ReadonlyMap<MessageEvent, Result>>,
  postpone: PostponeEvents,
  findSender: FindSender,
): SQSHandler => {
  const logger = new Logger({ serviceName });
  const metrics = new Metrics({ serviceName });

  const log = ({ sqsRecord, events }: Taken, results: Result[]): void => {
    for (const { outcome } of results) metrics.addMetric(outcomeMetrics[outcome], MetricUnit.Count, 1);
    const worst = worstOf(results);
    const level = isEarly(worst) ? "warn" : worst.outcome === "failed" ? "error" : "info";
    logger[level]("event", {
      sqs_message_id: sqsRecord.messageId,
      receives: receivesOf(sqsRecord),
      type: events[0]?.type,
      account_id: events[0]?.account_id,
      message_uuid: events[0]?.message.id,
      event_id: events.map(({ id }) => loggableId(id)).join(" ") || undefined,
      events: events.length,
      outcome: worst.outcome,
      ...causeOf(worst),
    });
  };

  return async ({ Records }: SQSEvent, context: Context) => {
    logger.addContext(context);
    metrics.captureColdStartMetric();
    const deadline = uptimeMs() + context.getRemainingTimeInMillis() - marginMs;
    const senders = new Map<string, Promise<Sender>>();
    const find: FindSender = (name) => {
      const found = senders.get(name) ?? findSender(name);
      senders.set(name, found);
      return found;
    };
    const batch = await Promise.all(Records.map((sqsRecord) => take(sqsRecord, find)));
    const results: Results = new Map();
    for (const pause of [0, ...pausesMs]) {
      const due = batch.flatMap((taken) => {
        return dueOf(taken, results).map((event) => ({ sqsRecord: taken.sqsRecord, event }));
      });
      if (due.length === 0) break;
      if (pause > 0) await sleep(pause);
      for (const events of groupsOf(due)) {
        for (const [event, result] of await record(events, deadline)) results.set(event, result);
      }
    }
    for (const taken of batch) log(taken, resultsOf(taken, results));
    const unrecorded = batch.filter((taken) => resultsOf(taken, results).some(({ outcome }) => outcome === "failed"));
    const retries = unrecorded.map(({ sqsRecord }) => ({
      receiptHandle: sqsRecord.receiptHandle,
      seconds: retrySeconds(receivesOf(sqsRecord)),
    }));
    // If `postpone` fails, SQS delivers the failed events again after the queue's visibility timeout.
    if (retries.length > 0) {
      await postpone(retries).catch((error) => logger.error("postpone", { error: loggableError(error) }));
    }
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics(); // Otherwise, it would print a warning.
    return { batchItemFailures: unrecorded.map(({ sqsRecord }) => ({ itemIdentifier: sqsRecord.messageId })) };
  };
};
