/** The schema of a message that a program or an import stores. */
import * as z from "zod/mini";
import { addressDomain } from "../addresses/address.ts";
import { isInRange } from "../time/timestamp.ts";
import { Message } from "./message.ts";

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
