/** Records an event once. One transaction writes the change and the event record, so neither exists without the other. */
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { daySeconds } from "../duration.ts";
import { addClick, addDeliveryAttempt, addOpen, addStatus } from "../messages/events.ts";
import { markStored, readMarker } from "../messages/marker.ts";
import { storeMessage } from "../messages/store-message.ts";
import { epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { eventKey, sha256 } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { type FailedConditions, transact } from "../table/transact.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import { type ChangeEvent, EventRejectedError, type MessageEvent, type StoredEvent } from "./event.ts";
import { longestEventDays } from "./event-lifetime.ts";

/** An event record outlives every delivery of its event. */
const recordSeconds = longestEventDays * daySeconds;

/** `repeated`: the event was recorded before. `expired`: its message has expired or was deleted, so nothing changes. */
export type Outcome = "recorded" | "repeated" | "expired";

/** The event arrived before its message. A retry may succeed. */
export class MessageNotStoredYetError extends Error {
  override readonly name = "MessageNotStoredYetError";
}

const tooLarge = new EventRejectedError("it does not fit into the message's item of 400 KB");

/** Returns whether the transaction would make an item larger than 400 KB. */
const isTooLarge = (error: unknown): boolean => {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  return reasons.some(({ Message }) => Message?.includes("Item size"));
};

/** Returns the raw email of a key. @throws EventRejectedError if the email is missing, MessageRejectedError if too large */
export type ReadEmail = (key: string) => Promise<Uint8Array>;

type EventRecord = { fingerprint: string; expires_at: number };

/** Returns the same digest for the same event, because a parsed event has its fields in the order of the schema. */
const fingerprintOf = (event: MessageEvent): string =>
  sha256(JSON.stringify(event, (_, value) => (typeof value === "bigint" ? String(value) : value)));

/** Returns "repeated" if the event is already recorded. @throws EventRejectedError if another event has its id */
const checkRecord = (event: MessageEvent, record: EventRecord | undefined): "repeated" | undefined => {
  if (!record) return undefined;
  if (record.fingerprint === fingerprintOf(event)) return "repeated";
  throw new EventRejectedError("its id is taken by another event of the account");
};

/**
 * Makes the writes and records the event in one transaction. Returns the failed conditions if nothing was written.
 *
 * @throws EventRejectedError if another event has the id, or the message's item would be too large
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
  const failed = await transact(table, [...writes, record]).catch((error) => {
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

/** Stores a message once, but not a deleted message. */
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
  const mark = markStored(table, ref, epochSeconds(expiresAt));
  let outcome: Outcome = "repeated";
  const putHead = async (head: Write): Promise<boolean> => {
    const result = await recordOnce(table, event, [head, mark], now);
    if (typeof result !== "string" && !result.has(mark)) return false;
    outcome = typeof result === "string" ? result : "expired"; // The message was deleted in the meantime.
    return true;
  };
  const isNew = await storeMessage(table, { ...message, account_id }, raw, now, putHead);
  if (!isNew) await recordOnce(table, event, [mark], now);
  return outcome;
};

/** Records a change of a stored message once. Throws the errors of {@link recordEvent}. */
export const recordChange = async (table: Table, event: ChangeEvent, now: number): Promise<Outcome> => {
  const change = changeOf(table, event, now);
  const attempt = async (hasMarker: boolean): Promise<Outcome> => {
    const result = await recordOnce(table, event, [change], now);
    if (typeof result === "string") return result;
    if (result.get(change) || hasMarker) return "expired";
    if (!(await readMarker(table, { account_id: event.account_id, id: event.message.id }))) {
      throw new MessageNotStoredYetError("its message is not stored yet");
    }
    // The message may have been stored between the transaction and the read.
    return attempt(true);
  };
  return attempt(false);
};

/**
 * Records an event once, however often it arrives, and in any order with the other events of its message.
 *
 * @throws EventRejectedError or MessageRejectedError if the event can never be recorded
 * @throws MessageNotStoredYetError if the event arrived before its message
 * @throws Error if the table fails. A retry is safe
 *
 * @example
 * const outcome = await recordEvent(table, parseEvent(json), (key) => readFile(join(folder, key)), Date.now());
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
