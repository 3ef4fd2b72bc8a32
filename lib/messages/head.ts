/** The head is the main item of a message. The head contains all fields except the content and long fields. */
import { fieldsOfHead, type longFields } from "./fields.ts";
import type { Message } from "./message.ts";

export type LongFields = Pick<Message, (typeof longFields)[number]>;

/** A change of a message by an event of type `message.status`. */
export type StatusChange = Pick<Message, "status" | "bounce_classification"> & {
  time: string;
  event_id: string;
  sent_at?: string | undefined;
  delivered_at?: string | undefined;
};

export type Head = Omit<
  Message,
  "object" | "num_attempts" | "content" | "content_parsed" | "reference_message_id" | keyof LongFields
> & {
  [Field in keyof LongFields]?: LongFields[Field] | undefined;
} & {
  /** The domain of an incoming message's recipient, or of an outgoing message's sender. Some API keys read only one. */
  domain: string;
  /** DynamoDB's document client returns numbers above 2^53 as bigint. */
  reference_message_id?: number | bigint | undefined;
  segments: number;
  content_bytes: number;
  /** The offset of `content_parsed` in the decompressed content. Messages that old code stored lack the offset. */
  content_parsed_start?: number;
  /** SHA-256 of the raw email. Storing a different email with the same `id` is rejected. */
  digest: string;
  /** SHA-256 of the expiry and of all segments. The keys of the segments contain this digest. */
  content_digest: string;
  status_changes?: StatusChange[];
  expires_at: number;
};

declare global {
  /** TypeScript's libraries do not declare `JSON.rawJSON`, which Node.js 22 supports. */
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Keeps every digit of an int64 in the output of `JSON.stringify`. */
const integer = (value: number | bigint): unknown => JSON.rawJSON(String(value));

const isBefore = (a: StatusChange, b: StatusChange): boolean =>
  a.time === b.time ? a.event_id < b.event_id : a.time < b.time;

/** Returns a copy of a message's head with all status changes applied. A newer change overrides an older change. */
const current = (stored: Head): Head => {
  const head = { ...stored };
  const changes = (stored.status_changes ?? []).toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  for (const { time: _, event_id: __, ...change } of changes) Object.assign(head, change);
  return head;
};

/** Returns the Message object without the content. Long fields that are stored with the content are undefined. */
export const headFields = (stored: Head) => {
  const head = current(stored);
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
