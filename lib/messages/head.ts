/** The head of a message: its item in the table, which holds all fields but the content. */
import type { longFields } from "./fields.ts";
import type { Message } from "./message.ts";

/** The fields whose length an email decides. */
export type LongFields = Pick<Message, (typeof longFields)[number]>;

/** A status that came after the first, with what became known with it. */
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
  /** The domain that a key may be confined to: the sender's, or for an incoming message the recipient's. */
  domain: string;
  /** Above 2^53 the document client returns a bigint. */
  reference_message_id?: number | bigint | undefined;
  /** How many segments hold the content; 0 when it is not available. */
  segments: number;
  /** How many bytes of JSON they hold, decompressed. */
  content_bytes: number;
  /** How many of these bytes come before `content_parsed`. Heads of old messages do not contain it. */
  content_parsed_start?: number;
  /** SHA-256 of the email, in hex: tells a repeated store from a different message. */
  digest: string;
  /** SHA-256 of all segments, in hex: a part of their keys. */
  content_digest: string;
  /** In the order in which they arrived. */
  status_changes?: StatusChange[];
  expires_at: number;
};

declare global {
  /** ECMAScript 2026; Node.js has it since version 22. */
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** `JSON.stringify` has no word for an int64: a raw literal keeps every digit. */
const integer = (value: number | bigint): unknown => JSON.rawJSON(String(value));

const isBefore = (a: StatusChange, b: StatusChange): boolean =>
  a.time === b.time ? a.event_id < b.event_id : a.time < b.time;

/** The head with its status as it is now: of each field, what the newest change that names it says. */
const current = (stored: Head): Head => {
  const head = { ...stored };
  const changes = (stored.status_changes ?? []).toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  for (const { time: _, event_id: __, ...change } of changes) Object.assign(head, change);
  return head;
};

/** The fields of the Message object that the head holds, in order, for `JSON.stringify`. */
export const headFields = (stored: Head) => {
  const head = current(stored);
  return {
    object: "message",
    created_at: head.created_at,
    updated_at: head.updated_at,
    retain_until: head.retain_until,
    direction: head.direction,
    is_bounce_notification: head.is_bounce_notification,
    delivery_attempts: head.delivery_attempts
      .toSorted((a, b) => (a.time < b.time ? -1 : 1))
      .map(({ time, log, status }) => ({ time, log, status })), // a map in the table has no order
    message_id: head.message_id,
    id: head.id,
    subject: head.subject,
    tags: head.tags,
    sender: head.sender,
    recipient: head.recipient,
    status: head.status,
    num_attempts: head.delivery_attempts.length,
    click_count: head.click_count,
    open_count: head.open_count,
    domain_id: head.domain_id,
    account_id: head.account_id,
    sent_at: head.sent_at,
    delivered_at: head.delivered_at,
    bounce_classification: head.bounce_classification,
    reference_message_id: head.reference_message_id && integer(head.reference_message_id),
  };
};
