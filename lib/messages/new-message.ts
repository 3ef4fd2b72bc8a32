/** The schema of a message that a program or an import stores. */
import * as z from "zod/mini";
import { storedAddress } from "../addresses/address.ts";
import { isInRange, toMilliseconds, toNanoseconds } from "../time/timestamp.ts";
import { Message } from "./message.ts";

const dateTimeRule = "must be ISO 8601 with an offset";
const range = "must be between the years 0000 and 9999 in UTC";

/** RFC 3339 allows `t` and `z`. Like a Date, we have no leap seconds. */
const dateTime = z
  .string(dateTimeRule)
  .check(
    z.regex(new RegExp(z.regexes.datetime({ offset: true }), "i"), dateTimeRule),
    z.meta({ format: "date-time", not: { type: "string", pattern: ":60" } }),
  );

/** The time of an event, as `toNanoseconds` returns it. */
export const time = z.pipe(
  dateTime,
  z.transform((input: string, { issues }): string => {
    const time = toNanoseconds(input.toUpperCase());
    if (time !== null) return time;
    issues.push({ code: "custom", message: range, input });
    return z.NEVER;
  }),
);

/** As {@link time}, but with milliseconds. */
export const jsonInstant = z.pipe(time, z.transform(toMilliseconds));

const instantRule = "must be a Date, or ISO 8601 with an offset";

/** A point in time with milliseconds, as responses have it. */
export const instant = z.pipe(
  z.union([z.date(), z.iso.datetime({ offset: true, error: instantRule })], instantRule),
  z.transform((input: string | Date, { issues }): string => {
    const time = new Date(input);
    if (isInRange(time)) return time.toISOString();
    issues.push({ code: "custom", message: range, input });
    return z.NEVER;
  }),
);

/** C# serialisers write null for a field that is left out. */
export const optional = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.optional(
    z.pipe(
      z.nullable(schema),
      z.transform((given) => given ?? undefined),
    ),
  );

/** In UTF-8, half a surrogate pair would become U+FFFD. */
export const text = z
  .string("must be a string")
  .check(z.refine((value) => value.isWellFormed(), "must not contain half a surrogate pair"));

/** The head of a message must fit into a DynamoDB item of 400 KB. */
export const words = text.check(z.maxLength(1000, "must have at most 1000 characters"));

/** A longer subject or Message-ID is cut; it's still whole in the email. DynamoDB bills each update by the item's size. */
const maximumTextLength = 2000;

/** We never cut a surrogate pair in two. */
const cutText = z.pipe(
  text,
  z.transform((value) => value.slice(0, maximumTextLength).replace(/[\ud800-\udbff]$/, "")),
);

const maximumTags = 100;
const maximumTagLength = 255;
const tag = text.check(z.maxLength(maximumTagLength, `must have at most ${maximumTagLength} characters`));
const tags = z.pipe(
  z.nullable(
    z
      .array(tag, "must be an array of strings")
      .check(z.maxLength(maximumTags, `must have at most ${maximumTags} tags`)),
  ),
  z.transform((given) => given ?? []),
);

const bounceFlag = z.pipe(
  z.nullable(z.boolean("must be a boolean")),
  z.transform((given) => given ?? false),
);

/** RFC 5321, section 4.5.3.1: 64 characters before the @, and 255 after it. */
const maximumAddressLength = 320;

const addressRule = "must be an email address (RFC 5321, RFC 6531), without a display name or a comment";

/** Addresses in use that RFC 5321 forbids are stored in quotes. */
const address = z.pipe(
  z
    .string(addressRule)
    .check(z.maxLength(maximumAddressLength, `must have at most ${maximumAddressLength} characters`)),
  z.transform((input: string, { issues }): string => {
    const stored = storedAddress(input);
    if (stored !== null && stored.length <= maximumAddressLength) return stored;
    issues.push({ code: "custom", message: addressRule, input });
    return z.NEVER;
  }),
);

const id = z.guid("must be a UUID").check(z.toLowerCase());

export const NewMessage = z.object({
  id,
  account_id: id,
  domain_id: id,
  direction: z.enum(Message.shape.direction.options, "must be incoming or outgoing"),
  is_bounce_notification: z._default(bounceFlag, false),
  message_id: cutText,
  subject: cutText,
  tags: z._default(tags, []),
  sender: address,
  recipient: address,
  status: words,
  sent_at: z._default(z.nullable(instant), null),
  delivered_at: z._default(z.nullable(instant), null),
  bounce_classification: optional(words),
  reference_message_id: optional(z.int64("must be a bigint of at most 64 bits")),
  /** We store whole seconds, because DynamoDB's TTL has no fractions. */
  retain_until: instant,
});
export type NewMessage = z.input<typeof NewMessage>;
