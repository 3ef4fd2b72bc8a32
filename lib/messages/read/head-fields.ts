/** Turns a stored head into fields of the Message object. */
import { fieldsOfHead } from "../fields.ts";
import type { Head, StatusChange } from "../head.ts";

declare global {
  /** Node.js has `JSON.rawJSON` since version 22, but TypeScript does not declare it. */
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Status changes with the same time are ordered by event id, so the order of arrival doesn't matter. */
const isBefore = (a: StatusChange, b: StatusChange): boolean =>
  a.time === b.time ? a.event_id < b.event_id : a.time < b.time;

/** Returns the Message object without the content. */
export const headFields = (stored: Head) => {
  const changes = (stored.status_changes ?? []).toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  const head: Head = Object.assign({}, stored, ...changes);
  const fields: { [Name in (typeof fieldsOfHead)[number]]?: unknown } = {
    ...head,
    object: "message",
    delivery_attempts: head.delivery_attempts
      .toSorted((a, b) => (a.time < b.time ? -1 : 1))
      .map(({ time, log, status }) => ({ time, log, status })), // DynamoDB doesn't keep the order of fields.
    num_attempts: head.delivery_attempts.length,
    // An int64 must keep all its digits in the JSON.
    reference_message_id: head.reference_message_id && JSON.rawJSON(String(head.reference_message_id)),
  };
  return Object.fromEntries(fieldsOfHead.map((name) => [name, fields[name]]));
};
