/** The schemas of a message: as Get Message returns it, and as a caller of `storeMessage` passes it. */
import * as z from "zod/mini";
import { addressDomain } from "./address.ts";
import type { MessageField } from "./fields.ts";

const dateTime = z.iso.datetime();

export const DeliveryAttempt = z.object({ time: dateTime, log: z.string(), status: z.string() });

export const Part = z.object({ content_type: z.string(), content: z.string() });

/** The `content` of an attachment is base64 without line breaks. */
export const Attachment = z.object({
  filename: z.string(),
  content: z.string(),
  content_type: z.string(),
  content_id: z.string(),
});

export const ParsedContent = z.object({
  parts: z.array(Part),
  attachments: z.array(Attachment),
  headers: z.record(z.string(), z.array(z.string())),
});
export type ParsedContent = z.infer<typeof ParsedContent>;

/** Some JSON parsers round integers above 2^53, so no count may exceed 2^53 - 1. */
const count = z.int().check(z.minimum(0));

/** What Get Message returns, with the fields in the order in which the response has them. */
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
} satisfies Record<MessageField, z.ZodMiniType>);
export type Message = z.infer<typeof Message>;

export const isInRange = (time: Date): boolean => /^\d{4}-/.test(time.toISOString());

const utc = <Time extends string | Date>() =>
  z.transform((input: Time, { issues }): string => {
    const time = new Date(input);
    if (isInRange(time)) return time.toISOString();
    issues.push({ code: "custom", message: "must be between the years 0000 and 9999 in UTC", input });
    return z.NEVER;
  });

const instantRule = "must be a Date, or ISO 8601 with an offset";

export const time = z.pipe(z.iso.datetime({ offset: true, error: "must be ISO 8601 with an offset" }), utc());

export const instant = z.pipe(
  z.union([z.date(), z.iso.datetime({ offset: true, error: instantRule })], instantRule),
  utc(),
);

/** In UTF-8, half a surrogate pair would become U+FFFD. */
export const text = z
  .string("must be a string")
  .check(z.refine((value) => value.isWellFormed(), "must not contain half a surrogate pair"));

/** The head of a message must fit into a DynamoDB item of 400 KB. */
export const words = text.check(z.maxLength(1000, "must have at most 1000 characters"));

/** A cut text is still whole in the raw email: Postfix accepts headers of 100 KB, and DynamoDB bills each update by item. */
const cutText = z.pipe(
  text,
  z.transform((value) => value.slice(0, 8000).toWellFormed()),
);

const addressRule = "must be an email address (RFC 5321, RFC 6531), without a display name or a comment";

const address = z.string(addressRule).check(
  z.maxLength(320, addressRule),
  z.refine((value) => addressDomain(value) !== null, addressRule),
);

const id = z.guid("must be a UUID").check(z.toLowerCase());

export const NewMessage = z.object({
  id,
  account_id: id,
  domain_id: id,
  direction: z.enum(Message.shape.direction.options, "must be incoming or outgoing"),
  is_bounce_notification: z._default(z.boolean("must be a boolean"), false),
  message_id: cutText,
  subject: cutText,
  tags: z._default(z.array(words, "must be an array of strings").check(z.maxLength(20, "must be at most 20")), []),
  sender: address,
  recipient: address,
  status: words,
  sent_at: z._default(z.nullable(instant), null),
  delivered_at: z._default(z.nullable(instant), null),
  bounce_classification: z.optional(words),
  reference_message_id: z.optional(z.int64("must be a bigint of at most 64 bits")),
  /** We store whole seconds, because DynamoDB's TTL has no fractions. */
  retain_until: instant,
});
export type NewMessage = z.input<typeof NewMessage>;

/** Thrown for a message or an event that can never be stored. The text is logged, so it must not quote values. */
export class RejectedError extends Error {
  override readonly name = "RejectedError";
}

/** @throws RejectedError that names every wrong field */
export const validate = <Schema extends z.ZodMiniType>(schema: Schema, input: unknown): z.output<Schema> => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw new RejectedError(faults.join("; "));
};
