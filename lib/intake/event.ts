/** What a sending pipeline tells of its messages, event by event: JSON, at least once, in any order. */
import * as z from "zod/mini";
import { parseAddress } from "../messages/address.ts";
import { NewMessage, text, words } from "../messages/message.ts";

const { id: uuid } = NewMessage.shape;

const timeRule = "must be ISO 8601 with an offset";

const time = z.pipe(
  z.iso.datetime({ offset: true, error: timeRule }),
  z.transform((value) => new Date(value).toISOString()),
);

const addressRule = "must be an email address (RFC 5321, RFC 6531), without a display name or a comment";

const address = z.string(addressRule).check(
  z.refine((value) => parseAddress(value) !== null, addressRule),
  z.meta({ format: "email" }),
);

const wellFormed = z.refine<string>(
  (value) => value.isWellFormed(),
  "must be well-formed: it has half a surrogate pair",
);

const idRule = "must be a string of 1 to 255 characters";

/** What every event has. The characters are counted as JSON Schema counts them: the u flag takes a pair for one. */
const common = {
  id: z.string(idRule).check(
    z.regex(/^.{1,255}$/su, idRule),
    wellFormed,
    z.meta({
      description:
        "The sender's own name for this event, which no other event of the account has. An event that comes " +
        "again with its id counts once; another event with an id that is taken is refused. Of message.stored the " +
        "message's own id decides.",
      minLength: 1,
      maxLength: 255,
    }),
  ),
  account_id: uuid.check(z.describe("The account that the message belongs to.")),
};

/** The message that something has happened to. */
const message = z
  .object({ id: uuid.check(z.describe("The id that the message was stored with.")) }, "must be an object")
  .check(
    z.describe("The message. An event that comes before its message is tried again, and finds it later."),
  );

const known = (what: string) =>
  `${what} Each field has the value that the newest status event which names it gave it.`;

const keyRule = "must be a key in the bucket, or null";

const Stored = z
  .object({
    type: z.literal("message.stored"),
    ...common,
    message: z
      .extend(z.omit(NewMessage, { account_id: true }), {
        sender: address,
        recipient: address,
        sent_at: z._default(z.nullable(time), null),
        delivered_at: z._default(z.nullable(time), null),
        retain_until: time,
      })
      .check(z.describe("The message as it is when it is stored.")),
    raw_email: z
      .nullable(z.string(keyRule).check(z.minLength(1), z.maxLength(1024), wellFormed))
      .check(
        z.describe(
          "The key of the raw email in the bucket, of up to 40 MiB; null where the email is not available. The " +
            "object must be there before the event is sent.",
        ),
      ),
  })
  .check(z.describe("A message is there to be read. One that is there already stays as it is."));

const Status = z
  .object({
    type: z.literal("message.status"),
    ...common,
    message,
    time: time.check(
      z.describe(
        "When the status came about. The newest status is the message's, in whatever order they arrive; of " +
          "two with the same time it is the one whose event id sorts last. All are newer than the message's first.",
      ),
    ),
    status: words.check(z.describe("Where the message stands now, in words.")),
    sent_at: z.optional(time.check(z.describe(known("When the message was sent.")))),
    delivered_at: z.optional(
      time.check(z.describe(known("When the recipient's server accepted the message."))),
    ),
    bounce_classification: z.optional(words.check(z.describe(known("Why the message bounced.")))),
  })
  .check(z.describe("A message has a new status."));

const Attempt = z
  .object({
    type: z.literal("message.delivery_attempt"),
    ...common,
    message,
    time: time.check(
      z.describe(
        "When the attempt was made. Attempts add up, and are returned oldest first, in any order sent.",
      ),
    ),
    status: words.check(
      z.describe("How the attempt ended, in words. It does not change the message's status."),
    ),
    log: text.check(
      z.describe("What the recipient's server said. All attempts of a message have 340 KB together."),
    ),
  })
  .check(z.describe("An attempt was made to hand a message to the recipient's server."));

const Opened = z
  .object({ type: z.literal("message.opened"), ...common, message })
  .check(z.describe("The recipient opened a message: its open_count grows by one."));

const Clicked = z
  .object({ type: z.literal("message.clicked"), ...common, message })
  .check(z.describe("The recipient followed a link of a message: its click_count grows by one."));

const kinds = [Stored, Status, Attempt, Opened, Clicked] as const;
const types = kinds.map(({ shape }) => shape.type.def.values[0]);

/** An event. Fields that are not listed are ignored. */
export const MessageEvent = z.discriminatedUnion("type", kinds, {
  error: ({ input }) =>
    typeof input === "object" && input !== null
      ? `must be one of ${types.join(", ")}`
      : "must be a JSON object",
});
export type MessageEvent = z.output<typeof MessageEvent>;

/** Everything that can happen to a message that is there. */
export type ChangeEvent = Exclude<MessageEvent, { type: "message.stored" }>;
export type StoredEvent = Extract<MessageEvent, { type: "message.stored" }>;

/** An event that can't be recorded, now or later, and why. The message names fields, and quotes none of them. */
export class EventRejectedError extends Error {
  override readonly name = "EventRejectedError";
}

/** Returns the integer that a JSON number spells, such as `12`, `12.0` or `1.2e1`, or `undefined` for another number. */
const integerOf = (source: string): bigint | undefined => {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i.exec(source) ?? [];
  const digits = whole + fraction;
  const end = whole.length + Number(exponent);
  if (digits === "" || /[1-9]/.test(digits.slice(Math.max(end, 0)))) return undefined;
  return BigInt(`${sign}${digits.slice(0, Math.max(end, 0)).padEnd(end, "0") || "0"}`);
};

/** A number of JavaScript would round an int64, but `source` contains all of its digits. */
const reviveInteger = (name: string, value: unknown, { source = "" }: { source?: string } = {}): unknown =>
  name === "reference_message_id" ? (integerOf(source) ?? value) : value;

const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json, reviveInteger);
  } catch {
    throw new EventRejectedError("it is not JSON"); // what JSON.parse says quotes the text
  }
};

/**
 * Reads an event from its JSON.
 *
 * @throws EventRejectedError that names every field which is not what {@link MessageEvent} asks for.
 */
export const parseEvent = (json: string): MessageEvent => {
  const result = MessageEvent.safeParse(parseJson(json));
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw new EventRejectedError(faults.join("; "));
};
