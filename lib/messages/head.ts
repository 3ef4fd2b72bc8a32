/** Every stored message has one main item, its head. The message's content is stored in other items. */
import type { Message } from "./message.ts";

/** Status events may arrive in any order, so we keep them all and sort them when we read. */
export type StatusChange = Pick<Message, "status" | "bounce_classification"> & {
  time: string;
  event_id: string;
  sent_at?: string | undefined;
  delivered_at?: string | undefined;
};

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

export type Head = Omit<Message, "object" | "num_attempts" | "content" | "content_parsed" | "reference_message_id"> &
  ContentFields & {
    /** The sender's domain or, if the message is incoming, the recipient's. An API key can be limited to one domain. */
    domain: string;
    /** DynamoDB's document client returns a number above 2^53 as a bigint. */
    reference_message_id?: number | bigint | undefined;
    /** SHA-256 of the raw email. The digest lets us reject a different email with the same id. */
    digest: string;
    /** The time at which an operator deleted the message's content. */
    content_removed_at?: string;
    status_changes?: StatusChange[];
    expires_at: number;
  };
