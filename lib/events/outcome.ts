/** What became of an event. */
import type { Table } from "../table/table.ts";
import { uptimeMs } from "../time/clock.ts";

/** `expired` means that the event's message has expired or was deleted. */
export type Outcome = "recorded" | "repeated" | "expired";

export type Result = { outcome: Outcome; error?: never } | { outcome: "failed"; error: unknown };

export const failed = (error: unknown): Result => ({ outcome: "failed", error });

/** Thrown if an event arrives before its message is stored. */
export class MessageNotStoredYetError extends Error {
  override readonly name = "MessageNotStoredYetError";
}

/** Thrown if too little of the function's time is left for another event. */
export class TooLittleTimeError extends Error {
  override readonly name = "TooLittleTimeError";
}

/** By default, up to five invocations write at once, and a new table accepts 4 MB a second from them together. */
const bytesPerMs = 800;

/** @throws TooLittleTimeError if too little time is left to store an email of this size */
export const reserveTime = ({ deadline = Number.POSITIVE_INFINITY }: Table, emailBytes = 0): void => {
  if (deadline - uptimeMs() > 1000 + emailBytes / bytesPerMs) return;
  throw new TooLittleTimeError("too little time is left in this batch. The event will be retried");
};
