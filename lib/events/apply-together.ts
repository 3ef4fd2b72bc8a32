/**
 * Records events of several messages in few transactions: SES reports an email to 50 people at once, and the opens of a
 * batch may be of ten messages. Whatever is left is recorded message by message.
 */
import type { Table } from "../table/table.ts";
import { transactUnlessThrottled } from "../table/transact.ts";
import type { Write } from "../table/writes.ts";
import { eventRecord } from "./deduplication.ts";
import type { MessageEvent } from "./event.ts";
import { type Result, reserveTime } from "./outcome.ts";

/** What one message's events write, if they are new and the message is as expected. */
export type Expected = { events: readonly MessageEvent[]; writes: readonly Write[] };

/** A transaction has at most 100 writes. */
const mostWrites = 100;

/** The second try is without what made the first one fail. */
const mostTries = 2;

type Unit = { records: ({ event: MessageEvent } & ReturnType<typeof eventRecord>)[]; writes: readonly Write[] };

const packsOf = (units: readonly Unit[]): Unit[][] => {
  const packs: Unit[][] = [];
  let room = 0;
  for (const unit of units) {
    if (unit.writes.length > room) {
      packs.push([]);
      room = mostWrites;
    }
    packs.at(-1)?.push(unit);
    room -= unit.writes.length;
  }
  return packs;
};

type Results = Map<MessageEvent, Result>;

const applyPack = async (table: Table, pack: readonly Unit[], results: Results): Promise<void> => {
  let left = pack;
  for (let tries = 0; tries < mostTries && left.length > 1; tries++) {
    reserveTime(table);
    const failures = await transactUnlessThrottled(
      table,
      left.flatMap(({ writes }) => writes),
    );
    for (const { event, resultIn } of left.flatMap(({ records }) => records)) {
      const result = failures ? resultIn(failures) : ({ outcome: "recorded" } as const);
      if (result) results.set(event, result);
    }
    if (!failures) return;
    left = left.filter(({ writes }) => !writes.some(failures.has));
  }
};

/** @param expected at most one entry for each message, with room for the events' records in a transaction */
export const applyTogether = async (table: Table, expected: readonly Expected[], now: number): Promise<Results> => {
  const results: Results = new Map();
  const units = expected.map(({ events, writes }) => {
    const records = events.map((event) => ({ event, ...eventRecord(table, event, now) }));
    return { records, writes: [...writes, ...records.map(({ put }) => put)] };
  });
  for (const pack of packsOf(units)) {
    // If the table is unavailable, one throttled message must not keep the others from being recorded.
    await applyPack(table, pack, results).catch(() => {});
  }
  return results;
};
