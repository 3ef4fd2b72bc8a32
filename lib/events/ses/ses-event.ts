/** Recognises the events of Amazon SES: event publishing, and email receiving. The schemas name only what we read. */
import * as z from "zod/mini";
import { time } from "../../messages/new-message.ts";
import { validate } from "../../messages/rejected-error.ts";
import { parseJson } from "../event.ts";

export const text = z.string("must be a string");
export const maybe = z.nullish(text);
export const texts = z.array(text, "must be an array of strings");
export const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape, "must be an object");

/** `DeliveryDelay` and `Rendering Failure` have no headers. */
const Mail = object({
  timestamp: time,
  messageId: text.check(z.minLength(1, "must not be empty")),
  source: maybe,
  sourceArn: maybe,
  sendingAccountId: maybe,
  destination: texts.check(z.minLength(1, "must not be empty")),
  headers: z.nullish(z.array(object({ name: text, value: text }))),
  commonHeaders: z.nullish(object({ subject: maybe, messageId: maybe })),
  tags: z.nullish(z.record(text, texts)),
});
export type Mail = z.output<typeof Mail>;

/** `fields` has what is specific to the type. */
export type SesEvent = { type: string; mail: Mail; fields: unknown };

/** SES says this once to each new topic. */
const isGreeting = (text: string): boolean => text.startsWith("Successfully validated SNS topic for Amazon SES");

/**
 * Takes an event out of the envelopes of SNS and EventBridge. Returns `null` for what SES reports about itself, and
 * `undefined` if the body isn't from SES.
 *
 * @throws RejectedError if the body isn't JSON, or an event of SES has wrong fields
 */
export const readSesEvent = (body: string, envelopes = 0): SesEvent | null | undefined => {
  if (isGreeting(body)) return null;
  const outer: Record<string, unknown> = Object(parseJson(body));
  if (envelopes < 2 && outer.Type === "Notification" && typeof outer.Message === "string") {
    return readSesEvent(outer.Message, envelopes + 1); // EventBridge may publish to SNS.
  }
  const isFromBus = outer.source === "aws.ses";
  const fields: Record<string, unknown> = isFromBus ? Object(outer.detail) : outer;
  const { notificationType, eventType: type = notificationType } = fields;
  if (type === "AmazonSnsSubscriptionSucceeded") return null;
  if (typeof type !== "string") return isFromBus ? null : undefined;
  return { type, ...validate(object({ mail: Mail }), fields), fields };
};
