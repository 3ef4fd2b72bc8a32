/** Records an event once. One transaction changes the message and writes the event record. */
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { addClick, addDeliveryAttempt, addOpen, addStatus } from "../messages/events.ts";
import { markStored, readMarker } from "../messages/marker.ts";
import { draftMessage, writeContent } from "../messages/store-message.ts";
import { epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { eventKey, sha256 } from "../table/keys.ts";
import { isThrottled, retry } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { type FailedConditions, transact } from "../table/transact.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import { daySeconds } from "../time.ts";
import { type ChangeEvent, EventRejectedError, type MessageEvent, type StoredEvent } from "./event.ts";
import { longestEventDays } from "./event-lifetime.ts";

/** An event record expires only after SQS can no longer deliver the event. */
const recordSeconds = longestEventDays * daySeconds;

/** `repeated`: the event was recorded before. `expired`: the event's message has expired or was deleted. */
export type Outcome = "recorded" | "repeated" | "expired";

/** Thrown if an event arrives before its message is stored. A later retry may succeed. */
export class MessageNotStoredYetError extends Error {
  override readonly name = "MessageNotStoredYetError";
}

const tooLarge = new EventRejectedError("it does not fit into the message's item of 400 KB");

/** Returns whether DynamoDB rejected a transaction because an item would exceed 400 KB. */
const isTooLarge = (error: unknown): boolean => {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  return reasons.some(({ Message }) => Message?.includes("Item size"));
};

/** Returns the raw email with this key. @throws EventRejectedError or MessageRejectedError if missing or too large */
export type ReadEmail = (key: string) => Promise<Uint8Array>;

type EventRecord = { fingerprint: string; expires_at: number };

/** Returns a digest of the event. The JSON's field order is irrelevant, because Zod returns fields in schema order. */
const fingerprintOf = (event: MessageEvent): string =>
  sha256(JSON.stringify(event, (_, value) => (typeof value === "bigint" ? String(value) : value)));

/** Returns "repeated" if the event is already recorded. @throws EventRejectedError if another event has the same id */
const checkRecord = (event: MessageEvent, record: EventRecord | undefined): "repeated" | undefined => {
  if (!record) return undefined;
  if (record.fingerprint === fingerprintOf(event)) return "repeated";
  throw new EventRejectedError("its id is taken by another event of the account");
};

/**
 * Makes the writes and stores the event record in one transaction. If a condition fails, writes nothing.
 *
 * @throws EventRejectedError if another event has the same id, or if the message's item would be too large
 */
const recordOnce = async (
  table: Table,
  event: MessageEvent,
  writes: readonly Write[],
  now: number,
): Promise<"recorded" | "repeated" | FailedConditions> => {
  const record = putIfAbsent<EventRecord>(
    table,
    eventKey(event.account_id, event.id),
    { fingerprint: fingerprintOf(event), expires_at: epochSeconds(now) + recordSeconds },
    now,
  );
  const waiting = { isRetryable: isThrottled, deadline: table.deadline };
  const failed = await retry(() => transact(table, [...writes, record]), waiting).catch((error) => {
    throw isTooLarge(error) ? tooLarge : error;
  });
  return failed ? (checkRecord(event, failed.get(record)) ?? failed) : "recorded";
};

const changeOf = (table: Table, event: ChangeEvent, now: number): Write => {
  const message = { account_id: event.account_id, id: event.message.id };
  switch (event.type) {
    case "message.status": {
      const { type: _, account_id: __, message: ___, id, ...status } = event;
      return addStatus(table, message, { event_id: id, ...status }, now);
    }
    case "message.delivery_attempt": {
      const { time, log, status } = event;
      if (Buffer.byteLength(log) > 400 * 1024) throw tooLarge; // DynamoDB rejects large requests in other ways.
      return addDeliveryAttempt(table, message, { time, log, status }, now);
    }
    case "message.opened":
      return addOpen(table, message, now);
    case "message.clicked":
      return addClick(table, message, now);
  }
};

/**
 * Stores the message of an event once: its head, its marker and the event record go into one transaction. A deleted
 * message is never stored again, because the marker's condition then fails.
 */
const recordStored = async (
  table: Table,
  event: StoredEvent,
  readEmail: ReadEmail,
  now: number,
): Promise<Outcome> => {
  const { account_id, message, raw_email } = event;
  const ref = { account_id, id: message.id };
  const expiresAt = Date.parse(message.retain_until);
  if (expiresAt <= now) return "expired";
  const [marker, record] = await Promise.all([
    readMarker(table, ref),
    getItem<EventRecord>(table, eventKey(account_id, event.id), { consistent: true }),
  ]);
  if (isLive(record, now) && checkRecord(event, record)) return "repeated";
  if (marker?.deleted_at) return "expired";

  const raw = raw_email === null ? null : await readEmail(raw_email);
  const draft = draftMessage({ ...message, account_id }, raw, now);
  const mark = markStored(table, ref, epochSeconds(expiresAt));
  for (;;) {
    const head = await writeContent(table, draft, now);
    const result = await recordOnce(table, event, head ? [head, mark] : [mark], now);
    if (result === "recorded") return head ? "recorded" : "repeated"; // An import may have stored the message.
    await head?.discard();
    if (result === "repeated") return "repeated";
    if (result.get(mark)) return "expired"; // It was deleted in the meantime.
  }
};

/** Records a change of a stored message, unless the change is already recorded. Throws the same errors as {@link recordEvent}. */
export const recordChange = async (table: Table, event: ChangeEvent, now: number): Promise<Outcome> => {
  const change = changeOf(table, event, now);
  // The message marker is an item that records that a message was stored or deleted. If the message marker exists, the
  // loop retries once, because the message may have been stored after the first attempt.
  for (let hasMarker = false; ; hasMarker = true) {
    const result = await recordOnce(table, event, [change], now);
    if (typeof result === "string") return result;
    if (result.get(change) || hasMarker) return "expired";
    if (!(await readMarker(table, { account_id: event.account_id, id: event.message.id }))) {
      throw new MessageNotStoredYetError("its message is not stored yet");
    }
  }
};

/**
 * Records an event once, even if the event arrives several times. The events of a message may arrive in any order.
 *
 * @throws EventRejectedError or MessageRejectedError if the event can never be recorded
 * @throws MessageNotStoredYetError if the event arrived before its message
 * @throws Error if the table fails. A retry is safe
 */
export const recordEvent = (
  table: Table,
  event: MessageEvent,
  readEmail: ReadEmail,
  now: number,
): Promise<Outcome> =>
  event.type === "message.stored"
    ? recordStored(table, event, readEmail, now)
    : recordChange(table, event, now);
