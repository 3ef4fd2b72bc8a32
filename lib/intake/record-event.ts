/**
 * Records an event, once: the change and a record of the event's id are one transaction, so that neither ever
 * exists without the other.
 *
 *   sent   recorded                14 days, as a dead letter too   + 14 days, when that is redriven
 *   ├──────┤── comes again: the record refuses it ─┴───────────────────────────────┤── can come no more
 */
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { daySeconds } from "../duration.ts";
import { addClick, addDeliveryAttempt, addOpen, addStatus } from "../messages/events.ts";
import { storeMessage } from "../messages/store-message.ts";
import { epochSeconds } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { eventKey, messageMarkerKey, sha256 } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { transact } from "../table/transact.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import { type ChangeEvent, EventRejectedError, type MessageEvent, type StoredEvent } from "./event.ts";
import { longestEventDays } from "./event-lifetime.ts";

const recordSeconds = longestEventDays * daySeconds;

/** Opens and clicks come for as long as someone keeps an email. */
const traceSeconds = 366 * daySeconds;

/** `repeated`: it was recorded before. `expired`: its message is there no more, and nothing is recorded. */
export type Outcome = "recorded" | "repeated" | "expired";

/** There is no such message, yet: the event may come before its message. */
export class MessageNotStoredYetError extends Error {
  override readonly name = "MessageNotStoredYetError";

  constructor() {
    super("its message is not there yet");
  }
}

/** Where raw emails are. @throws EventRejectedError when there is none under the key, or more than is kept */
export type ReadEmail = (key: string) => Promise<Uint8Array>;

type EventRecord = { fingerprint: string; expires_at: number };

/** The same for the same event: what is parsed has its fields in the order of the schema. */
const fingerprintOf = (event: MessageEvent): string =>
  sha256(JSON.stringify(event, (_, value) => (typeof value === "bigint" ? String(value) : value)));

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

type MessageMarker = { fingerprints: Set<string>; expires_at: number };

/** What is left of a message, and outlives it: it tells an event that is too late from one that is too early. */
const readMessageMarker = (
  table: Table,
  account_id: string,
  id: string,
): Promise<MessageMarker | undefined> =>
  getItem<MessageMarker>(table, messageMarkerKey(account_id, id), { consistent: true });

/** Stores a message, once: a message that was deleted before its time does not come back with its event. */
const recordStored = async (
  table: Table,
  event: StoredEvent,
  readEmail: ReadEmail,
  now: number,
): Promise<Outcome> => {
  const { account_id, message, raw_email } = event;
  const retainUntil = Date.parse(message.retain_until);
  if (retainUntil <= now) return "expired";
  const fingerprint = fingerprintOf(event);
  const earlier = await readMessageMarker(table, account_id, message.id);
  if (earlier?.fingerprints.has(fingerprint)) return "repeated";

  const raw = raw_email === null ? null : await readEmail(raw_email);
  const isNew = await storeMessage(table, { ...message, account_id }, raw, now);
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: messageMarkerKey(account_id, message.id),
      UpdateExpression: "ADD fingerprints :fingerprints SET expires_at = :expires_at",
      ExpressionAttributeValues: {
        ":fingerprints": new Set([fingerprint]),
        ":expires_at": epochSeconds(retainUntil) + traceSeconds,
      },
    }),
  );
  return isNew ? "recorded" : "repeated";
};

/**
 * Records what happened to a message, once.
 *
 * @throws EventRejectedError for an event whose id is taken by another one.
 * @throws MessageNotStoredYetError when it may be recorded later.
 */
export const recordChange = async (table: Table, event: ChangeEvent, now: number): Promise<Outcome> => {
  const { account_id, id, message } = event;
  const fingerprint = fingerprintOf(event);
  const expires_at = epochSeconds(now) + recordSeconds;
  const change = changeOf(table, event, now);
  const record = putIfAbsent<EventRecord>(table, eventKey(account_id, id), { fingerprint, expires_at }, now);

  const attempt = async (isTraced: boolean): Promise<Outcome> => {
    const failed = await transact(table, [change, record]);
    if (!failed) return "recorded";
    const earlier = failed.get(record);
    if (earlier?.fingerprint === fingerprint) return "repeated";
    if (earlier) throw new EventRejectedError("its id is taken by another event of the account");
    if (failed.get(change) || isTraced) return "expired";
    if (!(await readMessageMarker(table, account_id, message.id))) throw new MessageNotStoredYetError();
    // A message marker is left behind its message: the message may have come since, and is gone only if it still is not there.
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
