/** Translates what SES publishes about a sent email. */
import * as z from "zod/mini";
import { bareAddress } from "../../addresses/mailbox.ts";
import { normalAddress } from "../../addresses/person.ts";
import { time } from "../../messages/new-message.ts";
import { RejectedError, validate } from "../../messages/rejected-error.ts";
import type { StoredEvent } from "../event.ts";
import type { Sender } from "../senders.ts";
import type { Translated } from "../translate.ts";
import { eventOf, storedOf } from "./message-of-mail.ts";
import { type Mail, maybe, object, type SesEvent, text } from "./ses-event.ts";

/**
 * `part` names the field with the details. SES may write the time of a bounce in whole seconds, so of two statuses
 * within a second, the one with the later stage counts.
 */
type Kind = { part?: string; status?: string; stage?: number; isAttempt?: true; counts?: "opened" | "clicked" };

const kinds: Readonly<Record<string, Kind>> = {
  Send: {},
  DeliveryDelay: { part: "deliveryDelay", status: "deferred", stage: 1, isAttempt: true },
  Delivery: { part: "delivery", status: "delivered", stage: 2, isAttempt: true },
  Bounce: { part: "bounce", status: "bounced", stage: 3, isAttempt: true },
  Complaint: { part: "complaint", status: "complained", stage: 4 },
  Reject: { status: "rejected", stage: 5 },
  "Rendering Failure": { status: "failed", stage: 5 },
  Open: { part: "open", counts: "opened" },
  Click: { part: "click", counts: "clicked" },
  Subscription: {},
};

const Person = object({ emailAddress: text, status: maybe, diagnosticCode: maybe });
type Person = z.output<typeof Person>;
const people = z.nullish(z.array(z.union([text, Person], "must name a recipient"), "must be an array"));

const Part = object({
  timestamp: time,
  ...{ recipients: people, delayedRecipients: people, bouncedRecipients: people, complainedRecipients: people },
  ...{ smtpResponse: maybe, delayType: maybe, bounceType: maybe, bounceSubType: maybe, complaintSubType: maybe },
  ...{ ipAddress: maybe, userAgent: maybe, link: maybe },
});
type Part = z.output<typeof Part>;

/** The host in the header Message-ID that SES writes. */
const hostOf = ({ sourceArn }: Mail): string => {
  const region = sourceArn?.split(":")[3] || "us-east-1";
  return region === "us-east-1" ? "email.amazonses.com" : `${region}.amazonses.com`;
};

const maximumTags = 100;
const maximumTagLength = 255;

/** Tags of SES itself begin with `ses:`, which no other tag can. */
const tagsOf = ({ tags }: Mail): string[] =>
  Object.entries(tags ?? {})
    .filter(([name]) => !name.startsWith("ses:"))
    .flatMap(([name, values]) => values.map((value) => `${name}=${value}`.slice(0, maximumTagLength)))
    .slice(0, maximumTags);

const storedMessages = (mail: Mail, sender: Sender): StoredEvent[] => {
  const recipients = new Map(mail.destination.map(bareAddress).map((address) => [address.toLowerCase(), address]));
  const shared = { direction: "outgoing", status: "accepted", sent_at: mail.timestamp, tags: tagsOf(mail) };
  const message_id = `<${mail.messageId}@${hostOf(mail)}>`;
  return [...recipients.values()].map((recipient) => storedOf(sender, mail, { ...shared, message_id, recipient }));
};

/** `NoEmail` becomes `no-email`. */
const kebab = (text: string): string => text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();

const classificationOf = ({ bounceType, bounceSubType, complaintSubType }: Part): string =>
  kebab([bounceType, bounceSubType, complaintSubType].filter(Boolean).join("/"));

/** The stage precedes the digits of the fraction. */
const orderOf = (time: string, stage: number): string =>
  `${time.slice(0, 19)}.${`${stage}${time.slice(20, -1)}`.slice(0, 9)}Z`;

const changesOf = (sender: Sender, id: string, { status, stage = 0, isAttempt }: Kind, part: Part, person: Person) => {
  const { timestamp, smtpResponse, delayType } = part;
  const log = person.diagnosticCode || smtpResponse || delayType || person.status || "";
  const bounce_classification = classificationOf(part);
  const attempt = { type: "message.delivery_attempt", message: { id }, time: timestamp, status, log } as const;
  const change = {
    type: "message.status",
    message: { id },
    time: orderOf(timestamp, stage),
    status,
    ...(status === "delivered" && { delivered_at: timestamp }),
    ...(bounce_classification && { bounce_classification }),
  } as const;
  return [...(isAttempt ? [eventOf(sender, attempt)] : []), eventOf(sender, change)];
};

/** A bounce may name an address to which its recipient forwards, but a single recipient is known anyway. */
const messageOf = (stored: readonly StoredEvent[], { emailAddress }: Person): StoredEvent["message"] | undefined => {
  const named = normalAddress(bareAddress(emailAddress));
  const found =
    stored.length === 1 ? stored[0] : stored.find(({ message }) => normalAddress(message.recipient) === named);
  return found?.message;
};

const eventsOf = (sender: Sender, stored: readonly StoredEvent[], kind: Kind, part: Part, all: string[]) => {
  const [only, ...others] = stored;
  if (kind.counts) {
    if (!only || others.length > 0) return []; // SES doesn't say which recipient it was.
    const fields = { type: `message.${kind.counts}`, message: { id: only.message.id } } as const;
    return [eventOf(sender, fields, [part.timestamp, part.ipAddress, part.userAgent, part.link])];
  }
  const { recipients, delayedRecipients, bouncedRecipients, complainedRecipients } = part;
  const named = recipients ?? delayedRecipients ?? bouncedRecipients ?? complainedRecipients ?? [];
  const isAboutAll = named.length === 0 && (others.length === 0 || !kind.part); // Reject names nobody.
  const people = (isAboutAll ? all : named).map((person) =>
    typeof person === "string" ? { emailAddress: person } : person,
  );
  const events = people.flatMap((person) => {
    const message = messageOf(stored, person);
    return message ? changesOf(sender, message.id, kind, part, person) : [];
  });
  if (events.length === 0) throw new RejectedError("it names none of the email's recipients");
  return [...new Map(events.map((event) => [event.id, event])).values()];
};

export const translatePublished = ({ type, mail, fields }: SesEvent, sender: Sender): Translated => {
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (!kind) throw new RejectedError(`eventType must be one of ${Object.keys(kinds).join(", ")}`);
  const stored = storedMessages(mail, sender);
  if (type === "Send") return { events: stored };
  if (!kind.status && !kind.counts) return { events: [] };
  const { timestamp } = mail;
  const part = kind.part ? validate(z.object({ [kind.part]: Part }), fields)[kind.part] : undefined;
  // A message without its subject would contradict a later `Send`, so an event without headers waits for that.
  const isWhole = mail.commonHeaders || mail.headers?.length || type === "Rendering Failure";
  const events = eventsOf(sender, stored, kind, part ?? { timestamp }, mail.destination);
  return { events, missing: isWhole ? stored : [] };
};
