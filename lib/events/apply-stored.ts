/** Stores the message of an event `message.stored`, or the email of an event `message.content`. */
import type { Head } from "../messages/head.ts";
import { markStored, readMarker } from "../messages/marker.ts";
import { commitMessage, firstWrites } from "../messages/write/commit-message.ts";
import { type Draft, draftContent, draftMessage, rejectTooLarge } from "../messages/write/draft-message.ts";
import { epochSeconds, isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { headKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { transact } from "../table/transact.ts";
import type { Expected } from "./apply-together.ts";
import { eventRecord, findRecorded } from "./deduplication.ts";
import type { ContentEvent, StoredEvent } from "./event.ts";
import { failed, MessageNotStoredYetError, type Result, reserveTime } from "./outcome.ts";

/** Reads a raw email, after `accept` has checked its size. Throws a RejectedError if it's missing or too large. */
export type ReadEmail = (key: string, accept: (bytes: number) => void) => Promise<Uint8Array>;

const readRaw = (table: Table, key: string, readEmail: ReadEmail): Promise<Uint8Array> =>
  readEmail(key, (bytes) => {
    rejectTooLarge(bytes);
    reserveTime(table, bytes);
  });

const commit = async (table: Table, event: StoredEvent | ContentEvent, draft: Draft, now: number): Promise<Result> => {
  reserveTime(table);
  const record = eventRecord(table, event, now);
  const { outcome, failed: failures } = await commitMessage(table, draft, now, [record.put]);
  if (failures) return record.resultIn(failures) ?? failed(new Error("a condition failed that was not asked for"));
  if (outcome === "deleted" || outcome === "expired") return { outcome: "expired" };
  return { outcome: outcome === "there already" ? "repeated" : "recorded" };
};

export const applyStored = async (
  table: Table,
  event: StoredEvent,
  readEmail: ReadEmail,
  now: number,
): Promise<Result> => {
  const { account_id, message, raw_email } = event;
  const ref = { account_id, id: message.id };
  const expiresAt = Date.parse(message.retain_until);
  if (expiresAt <= now) {
    // Without its marker, the message's other events become dead letters.
    await transact(table, [markStored(table, ref, epochSeconds(expiresAt))]);
    return { outcome: "expired" };
  }
  const recorded = await findRecorded(table, event, now);
  if (recorded) return recorded;

  const raw = raw_email === null ? null : await readRaw(table, raw_email, readEmail);
  return commit(table, event, draftMessage({ ...message, account_id }, raw, now), now);
};

/** What a new message without an email writes. */
export const expectStored = async (table: Table, event: StoredEvent, now: number): Promise<Expected[]> => {
  const { account_id, message, raw_email } = event;
  if (raw_email !== null || Date.parse(message.retain_until) <= now) return [];
  return [{ events: [event], writes: await firstWrites(table, draftMessage({ ...message, account_id }, null, now)) }];
};

export const applyContent = async (
  table: Table,
  event: ContentEvent,
  readEmail: ReadEmail,
  now: number,
): Promise<Result> => {
  const ref = { account_id: event.account_id, id: event.message.id };
  const recorded = await findRecorded(table, event, now);
  if (recorded) return recorded;
  const head = await getItem<Head>(table, headKey(ref.account_id, ref.id), { consistent: true });
  if (!head && !(await readMarker(table, ref))) {
    return failed(new MessageNotStoredYetError("its message is not stored yet"));
  }
  if (!head || !isLive(head, now) || head.content_removed_at) return { outcome: "expired" };
  return commit(table, event, draftContent(head, await readRaw(table, event.raw_email, readEmail), now), now);
};
