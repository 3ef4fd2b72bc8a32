/** What a message is: the object that Get Message answers. */
import * as z from "zod/mini";

const dateTime = z.iso.datetime();

export const DeliveryAttempt = z.object({ time: dateTime, log: z.string(), status: z.string() });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** One inline text leaf of the MIME tree, transfer-decoded and converted to Unicode. */
export const Part = z.object({ content_type: z.string(), content: z.string() });
export type Part = z.infer<typeof Part>;

/** Every other leaf: `content` is base64 without line breaks. */
export const Attachment = z.object({
  filename: z.string(),
  content: z.string(),
  content_type: z.string(),
  content_id: z.string(),
});
export type Attachment = z.infer<typeof Attachment>;

export const ParsedContent = z.object({
  parts: z.array(Part),
  attachments: z.array(Attachment),
  headers: z.record(z.string(), z.array(z.string())),
});
export type ParsedContent = z.infer<typeof ParsedContent>;

/** A count that the caller may read as a plain JSON integer: never above 2^53. */
const count = z.int().check(z.minimum(0));

/** The object that Get Message answers, in the order of its fields. */
export const Message = z.object({
  object: z.literal("message"),
  created_at: dateTime,
  updated_at: dateTime,
  retain_until: dateTime,
  direction: z.enum(["incoming", "outgoing"]),
  is_bounce_notification: z.boolean(),
  delivery_attempts: z.array(DeliveryAttempt),
  message_id: z.string(),
  id: z.guid(),
  subject: z.string(),
  tags: z.array(z.string()),
  sender: z.string(),
  recipient: z.string(),
  status: z.string(),
  num_attempts: count,
  click_count: count,
  open_count: count,
  domain_id: z.guid(),
  account_id: z.guid(),
  sent_at: z.nullable(dateTime),
  delivered_at: z.nullable(dateTime),
  bounce_classification: z.optional(z.string()),
  reference_message_id: z.optional(z.int64()),
  content: z.nullable(z.string()),
  content_parsed: z.nullable(ParsedContent),
});
export type Message = z.infer<typeof Message>;

/** Any point in time, kept as the API answers it: ISO 8601, UTC, with milliseconds. */
export const instant = z.pipe(
  z.union([z.date(), z.iso.datetime({ offset: true })]),
  z.transform((time) => new Date(time).toISOString()),
);

const id = z.guid().check(z.toLowerCase());

/** What a sending pipeline tells of a message when it stores one. */
export const NewMessage = z.object({
  id,
  account_id: id,
  domain_id: id,
  direction: Message.shape.direction,
  is_bounce_notification: z._default(z.boolean(), false),
  message_id: z.string(),
  subject: z.string(),
  tags: z._default(z.array(z.string()), []),
  sender: z.string(),
  recipient: z.string(),
  status: z.string(),
  sent_at: z._default(z.nullable(instant), null),
  delivered_at: z._default(z.nullable(instant), null),
  bounce_classification: Message.shape.bounce_classification,
  reference_message_id: Message.shape.reference_message_id,
  /** Kept in whole seconds, a fraction cut off: the resolution of the table's TTL. */
  retain_until: instant,
});
export type NewMessage = z.input<typeof NewMessage>;
