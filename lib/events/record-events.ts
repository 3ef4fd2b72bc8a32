/** Records each event exactly once, even if it arrives several times. A message's events may arrive in any order. */
import { markStored, readMarker } from "../messages/marker.ts";
import { draftMessage, rejectTooLarge, writeContent } from "../messages/write/store-message.ts";
import { epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { eventKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import type { ChangeEvent, MessageEvent, StoredEvent } from "./event.ts";
import { type EventRecord, type Outcome, type Result, recordOnce, reserveTime, resultOf } from "./event-record.ts";
import { recordChanges } from "./record-changes.ts";

/** Reads a raw email, after `accept` has checked its size. Throws a RejectedError if it's missing or too large. */
export type ReadEmail = (key: string, accept: (bytes: number) => void) => Promise<Uint8Array>;

/** Stores the event's message. If the message was deleted, its marker makes the transaction fail. */
const recordStored = async (table: Table, event: StoredEvent, readEmail: ReadEmail, now: number): Promise<Result> => {
  const { account_id, message, raw_email } = event;
  const ref = { account_id, id: message.id };
  const expiresAt = Date.parse(message.retain_until);
  const mark = markStored(table, ref, epochSeconds(expiresAt));
  if (expiresAt <= now) {
    await recordOnce(table, [], [mark], now); // Without its marker, the message's other events become dead letters.
    return { outcome: "expired" };
  }
  const [marker, record] = await Promise.all([
    readMarker(table, ref),
    getItem<EventRecord>(table, eventKey(account_id, event.id), { consistent: true }),
  ]);
  if (record && isLive(record, now)) return resultOf(event, record);
  if (marker?.deleted_at) return { outcome: "expired" };

  const accept = (bytes: number) => {
    rejectTooLarge(bytes);
    reserveTime(table, bytes);
  };
  const raw = raw_email === null ? null : await readEmail(raw_email, accept);
  const draft = draftMessage({ ...message, account_id }, raw, now);
  for (;;) {
    const head = await writeContent(table, draft, now);
    const result = await recordOnce(table, [event], head ? [head, mark] : [mark], now);
    if (!result) return { outcome: head ? "recorded" : "repeated" }; // An import may have stored the message.
    await head?.discard();
    const known = result.known.get(event);
    if (known) return known;
    if (result.failed.get(mark)) return { outcome: "expired" }; // Somebody deleted the message in the meantime.
  }
};

const isChange = (event: MessageEvent): event is ChangeEvent => event.type !== "message.stored";

/** Stores messages one at a time, because a large email needs much memory. A failed event doesn't stop the others. */
export const recordEvents = async (
  table: Table,
  events: readonly MessageEvent[],
  readEmail: ReadEmail,
  now: number,
): Promise<Map<MessageEvent, Result>> => {
  const results = new Map<MessageEvent, Result>();
  for (const event of events) {
    if (isChange(event)) continue;
    const recorded = recordStored(table, event, readEmail, now);
    results.set(event, await recorded.catch((error) => ({ outcome: "failed", error })));
  }
  const groups = Map.groupBy(events.filter(isChange), ({ account_id, message }) => `${account_id} ${message.id}`);
  for (const group of groups.values()) {
    for (const [event, result] of await recordChanges(table, group, now)) results.set(event, result);
  }
  return results;
};

/**
 * @throws RejectedError if the event can never be recorded
 * @throws MessageNotStoredYetError if the event arrived before its message
 * @throws TooLittleTimeError if the table's deadline is near
 * @throws Error if the table fails. A retry is safe
 */
export const recordEvent = async (
  table: Table,
  event: MessageEvent,
  readEmail: ReadEmail,
  now: number,
): Promise<Outcome> => {
  const result = (await recordEvents(table, [event], readEmail, now)).get(event);
  if (!result || result.outcome === "failed") throw result?.error;
  return result.outcome;
};

/** Throws the same errors as {@link recordEvent}. */
export const recordChange = (table: Table, event: ChangeEvent, now: number): Promise<Outcome> =>
  recordEvent(table, event, () => Promise.reject(new Error("a change has no email")), now);
