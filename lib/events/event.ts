/** The events that an email-sending pipeline reports about its messages. */
import * as z from "zod/mini";
import { bareAddress, senderOfBounces } from "../addresses/mailbox.ts";
import { idOfExternal } from "../messages/external-id.ts";
import { jsonInstant, NewMessage, optional, text, time, words } from "../messages/new-message.ts";
import { RejectedError, validate } from "../messages/rejected-error.ts";

const { id: uuid, account_id } = NewMessage.shape;

/** The flag `u` makes an emoji count as one character, as it does in JSON Schema. */
const id = text.check(
  z.regex(/^.{1,255}$/su, "must have 1 to 255 characters"),
  z.meta({ minLength: 1, maxLength: 255 }),
);

/** S3's limit for a key. */
const maximumKeyBytes = 1024;
const keyRule = `must have at most ${maximumKeyBytes} bytes of UTF-8`;

const s3Key = text.check(
  z.minLength(1, "must not be empty"),
  z.maxLength(maximumKeyBytes, keyRule),
  z.refine((key) => Buffer.byteLength(key) <= maximumKeyBytes, keyRule),
);

/** A sender that knows no UUID names its message with an `external_id`. */
const names = { id: optional(uuid), external_id: optional(id) };

type Named = { id?: string | undefined; external_id?: string | undefined };

const withName = (name: keyof Named) => ({ required: [name], properties: { [name]: { type: "string" } } });

const named = <Shape extends typeof names>(shape: Shape) =>
  z.object(shape, "must be an object").check(
    z.refine((message) => {
      const { id, external_id } = message as Named;
      return (id === undefined) !== (external_id === undefined);
    }, "must have either id or external_id"),
    z.meta({ oneOf: [withName("id"), withName("external_id")] }),
  );

const change = { id, account_id, message: named(names) };

/** Senders know addresses as `Ada <ada@example.com>`, and the sender of a bounce as `<>`. */
const withBareAddresses = (message: unknown): unknown => {
  const { sender, recipient }: Record<string, unknown> = Object(message);
  if (typeof sender !== "string" || typeof recipient !== "string") return message;
  const to = bareAddress(recipient);
  return { ...(message as object), sender: bareAddress(sender) || senderOfBounces(to), recipient: to };
};

const { account_id: _, id: __, ...storedFields } = NewMessage.shape;

const Stored = z.object({
  type: z.literal("message.stored"),
  id,
  account_id,
  message: z.pipe(
    z.transform(withBareAddresses),
    named({
      ...names,
      ...storedFields,
      sent_at: z._default(z.nullable(jsonInstant), null),
      delivered_at: z._default(z.nullable(jsonInstant), null),
      retain_until: jsonInstant,
    }),
  ),
  raw_email: z.nullable(s3Key),
});

const Content = z.object({ type: z.literal("message.content"), ...change, raw_email: s3Key });

const Status = z.object({
  type: z.literal("message.status"),
  ...change,
  time,
  status: words,
  sent_at: optional(jsonInstant),
  delivered_at: optional(jsonInstant),
  bounce_classification: optional(words),
});

const Attempt = z.object({ type: z.literal("message.delivery_attempt"), ...change, time, status: words, log: text });
const Opened = z.object({ type: z.literal("message.opened"), ...change });
const Clicked = z.object({ type: z.literal("message.clicked"), ...change });

const kinds = [Stored, Content, Status, Attempt, Opened, Clicked] as const;
const types = kinds.map(({ shape }) => shape.type.def.values[0]);

export const NewEvent = z.discriminatedUnion("type", kinds, {
  error: ({ input }) =>
    typeof input === "object" && input !== null ? `must be one of ${types.join(", ")}` : "must be a JSON object",
});
export type NewEvent = z.input<typeof NewEvent>;

type WithId<Event> = Event extends { message: Named }
  ? Omit<Event, "message"> & { message: Omit<Event["message"], keyof Named> & { id: string } }
  : never;
export type MessageEvent = WithId<z.output<typeof NewEvent>>;

export type ChangeEvent = Exclude<MessageEvent, { type: "message.stored" | "message.content" }>;
export type ContentEvent = Extract<MessageEvent, { type: "message.content" }>;
export type StoredEvent = Extract<MessageEvent, { type: "message.stored" }>;

/** `12.0` and `1.2e1` are integers, too. Returns `undefined` for a fraction. */
const integerOf = (source: string): bigint | undefined => {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i.exec(source) ?? [];
  const digits = whole + fraction;
  const end = whole.length + Number(exponent);
  if (digits === "" || /[1-9]/.test(digits.slice(Math.max(end, 0)))) return undefined;
  return BigInt(`${sign}${digits.slice(0, Math.max(end, 0)).padEnd(end, "0") || "0"}`);
};

/** JSON.parse rounds integers above 2^53, so we take the digits from the source text. */
const reviveInteger = (name: string, value: unknown, { source = "" }: { source?: string } = {}): unknown =>
  name === "reference_message_id" ? (integerOf(source) ?? value) : value;

/** @throws RejectedError if the text isn't JSON. It may begin with a byte order mark, as Windows programs write it. */
export const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json.replace(/^\ufeff/, ""), reviveInteger);
  } catch {
    throw new RejectedError("it is not JSON"); // JSON.parse's own message quotes the text.
  }
};

/** @throws RejectedError that names every wrong field */
export const validateEvent = (input: unknown): MessageEvent => {
  const event = validate(NewEvent, input);
  const { id, external_id = "", ...fields } = event.message;
  const message = { id: id ?? idOfExternal(event.account_id, external_id), ...fields };
  return { ...event, message } as MessageEvent;
};

/** Words of an email, in which a stranger may have written anything. */
const ofEmail = new Set(["subject", "message_id"]);

/** U+FFFD stands for bytes that the sender has decoded wrongly. They would be lost for ever. */
const rejectLostBytes = (value: unknown, name = ""): void => {
  if (typeof value === "string" && value.includes("\ufffd") && !ofEmail.has(name)) {
    throw new RejectedError("it has U+FFFD, which stands for bytes that were not UTF-8");
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, field] of Object.entries(value)) rejectLostBytes(field, name);
};

/** @throws RejectedError that names every wrong field */
export const parseEvent = (json: string): MessageEvent => {
  const event = validateEvent(parseJson(json));
  rejectLostBytes(event);
  return event;
};
