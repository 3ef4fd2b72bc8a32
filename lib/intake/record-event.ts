/**
 * Records an event, once: the change and a record of the event's id are one transaction, so that neither ever
 * exists without the other.
 *
 *   sent   recorded                14 days, as a dead letter too   + 14 days, when that is redriven
 *   ├──────┤── comes again: the record refuses it ─┴───────────────────────────────┤── can come no more
 */
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

const recordSeconds = longestEventDays * daySeconds;

/** `repeated`: it was recorded before. `expired`: its message is there no more, and nothing is recorded. */
export type Outcome = "recorded" | "repeated" | "expired";

/** There is no such message, yet: the event may come before its message. */
export class MessageNotStoredYetError extends Error {
  override readonly name = "MessageNotStoredYetError";

  constructor() {
    super("its message is not there yet");
  }
}

/** DynamoDB rejects a change that makes the message's item larger than 400 KB. */
const isTooLarge = (error: unknown): boolean => {
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  return [...reasons.map(({ Message }) => Message), String(error)].some((text) =>
    text?.includes("Item size"),
  );
};

/** Where raw emails are. @throws EventRejectedError when there is none under the key, or more than is kept */
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
    throw isTooLarge(error)
      ? new EventRejectedError("it does not fit into the message's item of 400 KB")
      : error;
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
      return addDeliveryAttempt(table, message, { time, log, status }, now);
    }
    case "message.opened":
      return addOpen(table, message, now);
    case "message.clicked":
      return addClick(table, message, now);
  }
};

/** Stores a message once. An event never stores a message that was deleted. */
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
    if (typeof result === "string") outcome = result;
    else if (result.has(mark))
      outcome = "expired"; // deleted since the marker was read
    else return false;
    return true;
  };
  const isNew = await storeMessage(table, { ...message, account_id }, raw, now, putHead);
  if (!isNew) await recordOnce(table, event, [mark], now);
  return outcome;
};

/**
 * Records what happened to a message, once.
 *
 * @throws EventRejectedError if another event has the id, or the event does not fit into the message's item
 * @throws MessageNotStoredYetError if the event may be recorded later
 */
export const recordChange = async (table: Table, event: ChangeEvent, now: number): Promise<Outcome> => {
  const change = changeOf(table, event, now);
  const attempt = async (hasMarker: boolean): Promise<Outcome> => {
    const result = await recordOnce(table, event, [change], now);
    if (typeof result === "string") return result;
    if (result.get(change) || hasMarker) return "expired";
    if (!(await readMarker(table, { account_id: event.account_id, id: event.message.id }))) {
      throw new MessageNotStoredYetError();
    }
    // The message may have been stored between the transaction and the read of the marker.
    return attempt(true);
  };
  return attempt(false);
};

/**
 * Records an event that may come any number of times, at once or one after the other, before its message or long
 * after it.
 *
 * @throws EventRejectedError, and MessageRejectedError, for an event that can't be recorded, now or later.
 * @throws MessageNotStoredYetError when it may be recorded later.
 * @throws Error when the table fails: whether the event is recorded is not known, and it can be recorded again.
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
