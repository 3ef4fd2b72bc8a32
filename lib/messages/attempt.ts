/** A delivery attempt is an item of its own, because DynamoDB bills each update of a list by the size of the whole list. */
import { attemptKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { put, type Write } from "../table/writes.ts";
import { toMilliseconds } from "../time/timestamp.ts";
import type { Message } from "./message.ts";
import type { MessageRef } from "./message-ref.ts";

/** With texts of 1,000 bytes, so many attempts, the head and the first segment fit into one Query's megabyte. */
export const maximumAttempts = 250;
const maximumTextBytes = 1000;

/** `time` has nine digits of a second's fraction: see `toNanoseconds`. */
export type NewAttempt = { event_id: string; time: string; log: string; status: string };

export type StoredAttempt = Pick<NewAttempt, "time" | "log" | "status"> & { expires_at: number };

/** Cuts a text at a character, because half a character of UTF-8 would be U+FFFD. */
const cut = (text: string): string => {
  if (Buffer.byteLength(text) <= maximumTextBytes) return text;
  const bytes = Buffer.from(text);
  let end = maximumTextBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--; // A byte 10xxxxxx continues a character.
  return bytes.toString("utf8", 0, end);
};

/** @param expires_at when the message expires */
export const putAttempt = (
  table: Table,
  { account_id, id }: MessageRef,
  { event_id, time, log, status }: NewAttempt,
  expires_at: number,
): Write =>
  put(table, attemptKey(account_id, id, time, event_id), { time, log: cut(log), status: cut(status), expires_at });

/** DynamoDB doesn't keep the order of an item's fields. */
export const toDeliveryAttempt = ({ time, log, status }: StoredAttempt): Message["delivery_attempts"][number] => ({
  time: toMilliseconds(time),
  log,
  status,
});
