/** Records an event exactly once: the same transaction changes the message and stores the event's id. */
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { RejectedError } from "../messages/rejected-error.ts";
import { epochSeconds } from "../table/expiry.ts";
import { eventKey, sha256 } from "../table/keys.ts";
import { isThrottled, retry } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { type FailedConditions, transact } from "../table/transact.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import { daySeconds, uptimeMs } from "../time/clock.ts";
import type { MessageEvent } from "./event.ts";
import { longestEventDays } from "./redelivery.ts";

/** We keep an event record for as long as SQS may deliver the event again. */
const recordSeconds = longestEventDays * daySeconds;

/** `expired` means that the event's message has expired or was deleted. */
export type Outcome = "recorded" | "repeated" | "expired";

export type Result = { outcome: Outcome; error?: never } | { outcome: "failed"; error: unknown };

export const tooLarge = new RejectedError("it does not fit into the message's item of 400 KB");

const isTooLarge = (error: unknown): boolean =>
  error instanceof TransactionCanceledException &&
  error.CancellationReasons?.some(({ Message }) => Message?.includes("Item size")) === true;

/** Thrown if too little of the function's time is left for another event. */
export class TooLittleTimeError extends Error {
  override readonly name = "TooLittleTimeError";
}

/** By default, up to five invocations write at once, and a new table accepts 4 MB a second from them together. */
const bytesPerMs = 800;

/** @throws TooLittleTimeError if too little time is left to store an email of this size */
export const reserveTime = ({ deadline = Number.POSITIVE_INFINITY }: Table, emailBytes = 0): void => {
  if (deadline - uptimeMs() > 1000 + emailBytes / bytesPerMs) return;
  throw new TooLittleTimeError("too little time is left in this batch. The event will be retried");
};

export type EventRecord = { digest: string; expires_at: number };

/** Zod returns an event's fields in the order of the schema, so the order in the JSON doesn't change the digest. */
const digestOf = (event: MessageEvent): string =>
  sha256(JSON.stringify(event, (_, value) => (typeof value === "bigint" ? String(value) : value)));

export const resultOf = (event: MessageEvent, { digest }: EventRecord): Result =>
  digest === digestOf(event)
    ? { outcome: "repeated" }
    : { outcome: "failed", error: new RejectedError("its id is taken by another event of the account") };

/**
 * Records the ids of `events` in the same transaction as `writes`. If a condition fails, we return the failed
 * conditions, and a result for each event whose id is already recorded.
 */
export const recordOnce = async <Event extends MessageEvent>(
  table: Table,
  events: readonly Event[],
  writes: readonly Write[],
  now: number,
): Promise<{ failed: FailedConditions; known: Map<Event, Result> } | null> => {
  reserveTime(table);
  const expires_at = epochSeconds(now) + recordSeconds;
  const records = events.map((event) => {
    const record = { digest: digestOf(event), expires_at };
    return { event, put: putIfAbsent<EventRecord>(table, eventKey(event.account_id, event.id), record, now) };
  });
  const all = [...writes, ...records.map(({ put }) => put)];
  const waiting = { isRetryable: isThrottled, deadline: table.deadline };
  const failed = await retry(() => transact(table, all), waiting).catch((error) => {
    throw isTooLarge(error) ? tooLarge : error;
  });
  if (!failed) return null;
  const known = new Map<Event, Result>();
  for (const { event, put } of records) {
    const record = failed.get(put);
    if (record) known.set(event, resultOf(event, record));
  }
  return { failed, known };
};
