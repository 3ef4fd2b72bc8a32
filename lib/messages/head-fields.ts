/** Renders a message's head as the fields of the Message object. */
import { fieldsOfHead } from "./fields.ts";
import type { Head, StatusChange } from "./head.ts";

declare global {
  /** TypeScript's libraries do not declare `JSON.rawJSON`, which Node.js has had since version 22. */
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** An int64 keeps all its digits in the output of `JSON.stringify`. */
const integer = (value: number | bigint): unknown => JSON.rawJSON(String(value));

/** If two changes have the same time, the event's id decides: every order of arrival has the same result. */
const isBefore = (a: StatusChange, b: StatusChange): boolean =>
  a.time === b.time ? a.event_id < b.event_id : a.time < b.time;

const withStatusChanges = (stored: Head): Head => {
  const head = { ...stored };
  const changes = (stored.status_changes ?? []).toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  for (const { time: _, event_id: __, ...change } of changes) Object.assign(head, change);
  return head;
};

/** The Message object without the content. Long fields that are stored with the content are undefined. */
export const headFields = (stored: Head) => {
  const head = withStatusChanges(stored);
  const fields: { [Name in (typeof fieldsOfHead)[number]]?: unknown } = {
    ...head,
    object: "message",
    delivery_attempts: head.delivery_attempts
      .toSorted((a, b) => (a.time < b.time ? -1 : 1))
      .map(({ time, log, status }) => ({ time, log, status })), // DynamoDB does not keep the order of fields.
    num_attempts: head.delivery_attempts.length,
    reference_message_id: head.reference_message_id && integer(head.reference_message_id),
  };
  return Object.fromEntries(fieldsOfHead.map((name) => [name, fields[name]]));
};
