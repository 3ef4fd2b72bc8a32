/** A message's main item. It has all fields except the email's content, and except long fields if they are too long. */
import type { longFields } from "./fields.ts";
import type { Message } from "./message.ts";

export type LongFields = Pick<Message, (typeof longFields)[number]>;

/** What an event of type `message.status` changes. The head keeps all changes, because they may arrive in any order. */
export type StatusChange = Pick<Message, "status" | "bounce_classification"> & {
  time: string;
  event_id: string;
  sent_at?: string | undefined;
  delivered_at?: string | undefined;
};

/** Where the parts of the content's JSON begin. */
export type ContentOffsets = {
  /** The offset of `"content":`. Only long fields come before it, so it is 0 for most messages. */
  content_start: number;
  /** The offset of `"content_parsed":`. */
  content_parsed_start: number;
};

/** How the content is stored. */
export type ContentFields = ContentOffsets & {
  segments: number;
  /** The number of segments in each page after the first segment. */
  page_segments: number;
  /** The length of the JSON before compression. */
  content_bytes: number;
  /** Names this version of the content. The keys of its segments contain it, so no two versions share a segment. */
  content_digest: string;
};

export type Head = Omit<
  Message,
  "object" | "num_attempts" | "content" | "content_parsed" | "reference_message_id" | keyof LongFields
> & {
  [Field in keyof LongFields]?: LongFields[Field] | undefined;
} & ContentFields & {
    /** The recipient's if the message is incoming, otherwise the sender's. Some API keys read only one domain. */
    domain: string;
    /** DynamoDB's document client returns numbers above 2^53 as bigint. */
    reference_message_id?: number | bigint | undefined;
    /** SHA-256 of the raw email. Storing a different email with the same `id` is rejected. */
    digest: string;
    /** When `remove-content` deleted the email. */
    content_removed_at?: string;
    status_changes?: StatusChange[];
    expires_at: number;
  };
