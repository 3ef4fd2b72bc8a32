/** Records an event exactly once: the same transaction changes the message and stores the event's id. */
import { RejectedError } from "../messages/rejected-error.ts";
import { epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { eventKey, sha256 } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { type FailedConditions, transact } from "../table/transact.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import { daySeconds } from "../time/clock.ts";
import type { MessageEvent } from "./event.ts";
import { failed, type Result, reserveTime } from "./outcome.ts";
import { longestEventDays } from "./redelivery.ts";

/** We keep an event record for as long as SQS may deliver the event again. */
const recordSeconds = longestEventDays * daySeconds;

type EventRecord = { digest: string; expires_at: number };

/** Zod returns an event's fields in the order of the schema, so the order in the JSON doesn't change the digest. */
const digestOf = (event: MessageEvent): string =>
  sha256(JSON.stringify(event, (_, value) => (typeof value === "bigint" ? String(value) : value)));

const resultOf = (event: MessageEvent, { digest }: EventRecord): Result =>
  digest === digestOf(event)
    ? { outcome: "repeated" }
    : failed(new RejectedError("its id is taken by another event of the account"));

/** Returns the event's result if its id is recorded already. */
export const findRecorded = async (table: Table, event: MessageEvent, now: number): Promise<Result | undefined> => {
  const record = await getItem<EventRecord>(table, eventKey(event.account_id, event.id), { consistent: true });
  return record && isLive(record, now) ? resultOf(event, record) : undefined;
};

/** The write that records the event's id, and what it means if the write's condition fails. */
export const eventRecord = (table: Table, event: MessageEvent, now: number) => {
  const record = { digest: digestOf(event), expires_at: epochSeconds(now) + recordSeconds };
  const put = putIfAbsent<EventRecord>(table, eventKey(event.account_id, event.id), record, now);
  const resultIn = (failures: FailedConditions): Result | undefined => {
    const found = failures.get(put);
    return found && resultOf(event, found);
  };
  return { put, resultIn };
};

/**
 * Records the ids of `events` in the same transaction as `writes`. If a condition fails, we return the failed
 * conditions, and a result for each event whose id is already recorded.
 */
export const recordOnce = async <Event extends MessageEvent>(
  table: Table,
  events: readonly Event[],
  writes: readonly Write[],
  now: number,
): Promise<{ failures: FailedConditions; known: Map<Event, Result> } | null> => {
  reserveTime(table);
  const records = events.map((event) => ({ event, ...eventRecord(table, event, now) }));
  const failures = await transact(table, [...writes, ...records.map(({ put }) => put)]);
  if (!failures) return null;
  const known = new Map<Event, Result>();
  for (const { event, resultIn } of records) {
    const result = resultIn(failures);
    if (result) known.set(event, result);
  }
  return { failures, known };
};
