/** Every stored message has one main item, its head. Its delivery attempts and its content are items of their own. */
import type { Message } from "./message.ts";

export type ContentFields = {
  /** The byte offset of `content_parsed` in the uncompressed JSON. */
  content_parsed_start: number;
  segments: number;
  /** The number of segments in a page. Page 0 has just the first segment, and the last page has what is left. */
  page_segments: number;
  /** The size of the uncompressed JSON in bytes. */
  content_bytes: number;
  /** The digest is part of each segment's key, so two versions of a message's content never share a segment. */
  content_digest: string;
};

/** The fields that status events change. */
export const statusFields = ["status", "sent_at", "delivered_at", "bounce_classification"] as const;
export type StatusField = (typeof statusFields)[number];

/**
 * For each field, the time and the id of the event that decided it, as one text that sorts like the events do. A field
 * that has none still has the value with which the message was stored.
 */
type DecidedBy = { [Field in StatusField as `${Field}_by`]?: string };

export type Head = Omit<
  Message,
  "object" | "delivery_attempts" | "content" | "content_parsed" | "reference_message_id"
> &
  ContentFields &
  DecidedBy & {
    /** The sender's domain or, if the message is incoming, the recipient's. An API key can be limited to one domain. */
    domain: string;
    /**
     * The key in the index of persons: the recipient's or, if the message is incoming, the sender's. Bounce
     * notifications have none, because a mail server sends them.
     */
    person?: string;
    /** DynamoDB's document client returns a number above 2^53 as a bigint. */
    reference_message_id?: number | bigint | undefined;
    /** SHA-256 of the raw email, or "" if there is none. The digest lets us reject a different email with the same id. */
    digest: string;
    /** The time at which an operator deleted the message's content. */
    content_removed_at?: string;
    expires_at: number;
  };
