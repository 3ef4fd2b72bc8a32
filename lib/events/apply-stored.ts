/** Stores the message of an event `message.stored`. */
import { markStored } from "../messages/marker.ts";
import { commitMessage } from "../messages/write/commit-message.ts";
import { draftMessage, rejectTooLarge } from "../messages/write/draft-message.ts";
import { epochSeconds } from "../table/expiry.ts";
import type { Table } from "../table/table.ts";
import { transact } from "../table/transact.ts";
import { eventRecord, findRecorded } from "./deduplication.ts";
import type { StoredEvent } from "./event.ts";
import { failed, type Result, reserveTime } from "./outcome.ts";

/** Reads a raw email, after `accept` has checked its size. Throws a RejectedError if it's missing or too large. */
export type ReadEmail = (key: string, accept: (bytes: number) => void) => Promise<Uint8Array>;

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

  const accept = (bytes: number) => {
    rejectTooLarge(bytes);
    reserveTime(table, bytes);
  };
  const raw = raw_email === null ? null : await readEmail(raw_email, accept);
  const draft = draftMessage({ ...message, account_id }, raw, now);
  reserveTime(table);
  const record = eventRecord(table, event, now);
  const { outcome, failed: failures } = await commitMessage(table, draft, now, [record.put]);
  if (failures) return record.resultIn(failures) ?? failed(new Error("a condition failed that was not asked for"));
  if (outcome === "deleted" || outcome === "expired") return { outcome: "expired" };
  return { outcome: outcome === "there already" ? "repeated" : "recorded" };
};
