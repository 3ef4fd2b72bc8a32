/** Records a message's changes together, because DynamoDB bills each update by the size of the whole item. */

import { readMarker } from "../messages/marker.ts";
import { type Changes, changeMessage } from "../messages/write/change-message.ts";
import { isUnavailable } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import type { ChangeEvent } from "./event.ts";
import { type Result, recordOnce, tooLarge } from "./event-record.ts";

/** Thrown if an event arrives before its message is stored. */
export class MessageNotStoredYetError extends Error {
  override readonly name = "MessageNotStoredYetError";
}

const add = (changes: Changes, event: ChangeEvent): Changes => {
  const { status_changes = [], delivery_attempts = [], open_count = 0, click_count = 0 } = changes;
  switch (event.type) {
    case "message.status": {
      const { type: _, account_id: __, message: ___, id: event_id, ...status } = event;
      return { ...changes, status_changes: [...status_changes, { event_id, ...status }] };
    }
    case "message.delivery_attempt": {
      const { time, log, status } = event;
      if (Buffer.byteLength(log) > 400 * 1024) throw tooLarge; // DynamoDB reports a very large request differently.
      return { ...changes, delivery_attempts: [...delivery_attempts, { time, log, status }] };
    }
    case "message.opened":
      return { ...changes, open_count: open_count + 1 };
    case "message.clicked":
      return { ...changes, click_count: click_count + 1 };
  }
};

type Results = Map<ChangeEvent, Result>;

const allOf = (events: readonly ChangeEvent[], result: Result): Results =>
  new Map(events.map((event) => [event, result]));

const recordTogether = async (table: Table, events: readonly ChangeEvent[], now: number): Promise<Results> => {
  const [first] = events;
  if (!first) return new Map();
  const message = { account_id: first.account_id, id: first.message.id };
  const change = changeMessage(table, message, events.reduce(add, {}), now);
  // If we find the marker but not the message, it may just have been stored, so we look again.
  for (let hasMarker = false; ; hasMarker = true) {
    const result = await recordOnce(table, events, [change], now);
    if (!result) return allOf(events, { outcome: "recorded" });
    const { failed, known } = result;
    if (known.size > 0) {
      const others = events.filter((event) => !known.has(event));
      return new Map([...known, ...(await recordTogether(table, others, now))]);
    }
    if (failed.get(change) || hasMarker) return allOf(events, { outcome: "expired" });
    if (!(await readMarker(table, message))) {
      const error = new MessageNotStoredYetError("its message is not stored yet");
      return allOf(events, { outcome: "failed", error });
    }
  }
};

/**
 * If the transaction fails because the item would become too large or an event occurs twice, we record the events one
 * by one.
 *
 * @param events at most 99 changes of one message, because a transaction has at most 100 writes
 */
export const recordChanges = async (table: Table, events: readonly ChangeEvent[], now: number): Promise<Results> => {
  try {
    return await recordTogether(table, events, now);
  } catch (error) {
    if (events.length === 1 || isUnavailable(error)) return allOf(events, { outcome: "failed", error });
  }
  const results: Results = new Map();
  for (const event of events) {
    for (const [key, result] of await recordChanges(table, [event], now)) results.set(key, result);
  }
  return results;
};
