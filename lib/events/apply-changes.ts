/** Records a message's changes together, because each transaction has its price. */
import { maximumAttempts } from "../messages/attempt.ts";
import type { Head } from "../messages/head.ts";
import { readMarker } from "../messages/marker.ts";
import { RejectedError } from "../messages/rejected-error.ts";
import { type Changes, changeWrites, exceedsAttempts } from "../messages/write/change-message.ts";
import { MessageBusyError } from "../messages/write/commit-message.ts";
import { isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { headKey } from "../table/keys.ts";
import { isUnavailable } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import type { Expected } from "./apply-together.ts";
import { recordOnce } from "./deduplication.ts";
import type { ChangeEvent } from "./event.ts";
import { failed, MessageNotStoredYetError, type Result } from "./outcome.ts";

/** A transaction has at most 100 writes: the head, and for each event its record and perhaps its attempt. */
const mostEvents = 49;

/** Each failed try means that another call has just changed the message. */
const mostTries = 10;

const changesOf = (events: readonly ChangeEvent[]): Changes => {
  const changes: Changes = { statuses: [], attempts: [], opens: 0, clicks: 0 };
  for (const event of events) {
    if (event.type === "message.opened") changes.opens++;
    else if (event.type === "message.clicked") changes.clicks++;
    else if (event.type === "message.status") changes.statuses.push({ ...event, event_id: event.id });
    else changes.attempts.push({ ...event, event_id: event.id });
  }
  return changes;
};

type Results = Map<ChangeEvent, Result>;

const allOf = (events: readonly ChangeEvent[], result: Result): Results =>
  new Map(events.map((event) => [event, result]));

const tooManyAttempts = new RejectedError(`its message has ${maximumAttempts} delivery attempts already`);

const recordTogether = async (table: Table, events: readonly ChangeEvent[], now: number): Promise<Results> => {
  const [first] = events;
  if (!first) return new Map();
  const message = { account_id: first.account_id, id: first.message.id };
  const changes = changesOf(events);
  // An attempt expires with its message, so only attempts need the head; for all others, the condition compares.
  const known = changes.attempts.length > 0 && (await getItem<Head>(table, headKey(message.account_id, message.id)));
  let head: Partial<Head> = known || {};
  let hasMarker = false;
  for (let tries = 0; tries < mostTries; tries++) {
    const { change, attempts } = changeWrites(table, message, changes, head, now);
    const result = await recordOnce(table, events, [change, ...attempts], now);
    if (!result) return allOf(events, { outcome: "recorded" });
    if (result.known.size > 0) {
      const others = events.filter((event) => !result.known.has(event));
      return new Map([...result.known, ...(await recordTogether(table, others, now))]);
    }
    const found = result.failures.get(change);
    if (found && !isLive(found, now)) return allOf(events, { outcome: "expired" });
    if (found) {
      if (exceedsAttempts(found, changes)) throw tooManyAttempts;
      head = found;
    } else {
      if (hasMarker) return allOf(events, { outcome: "expired" });
      // If we find the marker but not the message, it may just have been stored, so we look again.
      hasMarker = (await readMarker(table, message)) !== undefined;
      if (!hasMarker) return allOf(events, failed(new MessageNotStoredYetError("its message is not stored yet")));
    }
  }
  throw new MessageBusyError("other calls kept changing the message");
};

/** If the transaction fails because an event occurs twice or an attempt is one too many, we record the events one by one. */
const recordSome = async (table: Table, events: readonly ChangeEvent[], now: number): Promise<Results> => {
  try {
    return await recordTogether(table, events, now);
  } catch (error) {
    if (events.length === 1 || isUnavailable(error)) return allOf(events, failed(error));
  }
  const results: Results = new Map();
  for (const event of events) {
    for (const [key, result] of await recordSome(table, [event], now)) results.set(key, result);
  }
  return results;
};

/** What changes of one message write. */
export const expectChanges = async (table: Table, all: readonly ChangeEvent[], now: number): Promise<Expected[]> => {
  const events = [...new Map(all.map((event) => [event.id, event])).values()]; // A transaction can't write an item twice.
  const [first] = events;
  if (!first || events.length > mostEvents) return [];
  const message = { account_id: first.account_id, id: first.message.id };
  const changes = changesOf(events);
  const hasAttempts = changes.attempts.length > 0;
  const head = hasAttempts ? await getItem<Head>(table, headKey(message.account_id, message.id)) : {};
  if (!head) return [];
  const { change, attempts } = changeWrites(table, message, changes, head, now);
  return [{ events, writes: [change, ...attempts] }];
};

/** @param events changes of one message */
export const applyChanges = async (table: Table, events: readonly ChangeEvent[], now: number): Promise<Results> => {
  const results: Results = new Map();
  for (let start = 0; start < events.length; start += mostEvents) {
    const some = events.slice(start, start + mostEvents);
    for (const [event, result] of await recordSome(table, some, now)) results.set(event, result);
  }
  return results;
};
