/** The Message object: the schema of what Get Message returns. */
import * as z from "zod/mini";
import { ParsedContent } from "../email/parsed-email.ts";
import type { MessageField } from "./fields.ts";

const dateTime = z.iso.datetime();

export const DeliveryAttempt = z.object({ time: dateTime, log: z.string(), status: z.string() });

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
