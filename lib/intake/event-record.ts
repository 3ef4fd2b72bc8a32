/** Event records. An event counts once, because its record and what it changes are one transaction. */
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { epochSeconds } from "../table/expiry.ts";
import { eventKey, sha256 } from "../table/keys.ts";
import { isThrottled, retry } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { type FailedConditions, transact } from "../table/transact.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import { daySeconds, uptimeMs } from "../time.ts";
import { EventRejectedError, type MessageEvent } from "./event.ts";
import { longestEventDays } from "./event-lifetime.ts";

/** An event record expires only after SQS can no longer deliver the event. */
const recordSeconds = longestEventDays * daySeconds;

/** `repeated`: the event was recorded before. `expired`: the event's message has expired or was deleted. */
export type Outcome = "recorded" | "repeated" | "expired";

export type Result = { outcome: Outcome; error?: never } | { outcome: "failed"; error: unknown };

export const tooLarge = new EventRejectedError("it does not fit into the message's item of 400 KB");

/** Whether DynamoDB rejected a transaction because an item would exceed 400 KB. */
const isTooLarge = (error: unknown): boolean => {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  return reasons.some(({ Message }) => Message?.includes("Item size"));
};

/** Thrown if the invocation has too little time left for an event, which is then retried. */
export class TooLittleTimeError extends Error {
  override readonly name = "TooLittleTimeError";
}

/** Five invocations at once share the 4 MB that a new table accepts a second: an email of 40 MiB then takes 44 s. */
const bytesPerMs = 800;

/** @throws TooLittleTimeError if the table's deadline is closer than a second, and the time that the email needs */
export const reserveTime = ({ deadline = Number.POSITIVE_INFINITY }: Table, emailBytes = 0): void => {
  if (deadline - uptimeMs() > 1000 + emailBytes / bytesPerMs) return;
  throw new TooLittleTimeError("too little time is left in this batch. The event will be retried");
};

export type EventRecord = { digest: string; expires_at: number };

/** A digest of the event. Zod returns fields in the schema's order, so their order in the JSON changes nothing. */
const digestOf = (event: MessageEvent): string =>
  sha256(JSON.stringify(event, (_, value) => (typeof value === "bigint" ? String(value) : value)));

/** The result of an event whose id has a record: it is repeated, or its id is taken. */
export const resultOf = (event: MessageEvent, { digest }: EventRecord): Result =>
  digest === digestOf(event)
    ? { outcome: "repeated" }
    : { outcome: "failed", error: new EventRejectedError("its id is taken by another event of the account") };

/**
 * Makes the writes and puts the events' records in one transaction, and waits while the table is throttled. Returns
 * `null`; or, if a condition failed, nothing is written, and `known` has the results of the events that have a record.
 *
 * @throws EventRejectedError if the message's item would be too large
 * @throws TooLittleTimeError if the table's deadline is near
 */
export const recordOnce = async <Event extends MessageEvent>(
  table: Table,
  events: readonly Event[],
  writes: readonly Write[],
  now: number,
): Promise<{ failed: FailedConditions; known: Map<Event, Result> } | null> => {
  reserveTime(table);
  const expires_at = epochSeconds(now) + recordSeconds;
  const puts = events.map((event) =>
    putIfAbsent<EventRecord>(table, eventKey(event.account_id, event.id), { digest: digestOf(event), expires_at }, now),
  );
  const waiting = { isRetryable: isThrottled, deadline: table.deadline };
  const failed = await retry(() => transact(table, [...writes, ...puts]), waiting).catch((error) => {
    throw isTooLarge(error) ? tooLarge : error;
  });
  if (!failed) return null;
  const known = new Map<Event, Result>();
  for (const [index, event] of events.entries()) {
    const put = puts[index];
    const record = put && failed.get(put);
    if (record) known.set(event, resultOf(event, record));
  }
  return { failed, known };
};
