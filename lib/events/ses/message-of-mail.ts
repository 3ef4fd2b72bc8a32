/** What the translations of sent and of received emails share. Each recipient's copy of an email is a message. */
import { charsetDecoder } from "../../email/charset.ts";
import { decodeHeaderText } from "../../email/header.ts";
import { idOfExternal } from "../../messages/external-id.ts";
import { sha256 } from "../../table/keys.ts";
import { dayMilliseconds } from "../../time/clock.ts";
import { type MessageEvent, type StoredEvent, validateEvent } from "../event.ts";
import type { Sender } from "../senders.ts";
import type { Mail } from "./ses-event.ts";

export const externalIdOfSes = (messageId: string, recipient: string): string =>
  `ses:${messageId}:${recipient.toLowerCase()}`;

type Fields = { type: MessageEvent["type"]; message: object; [field: string]: unknown };

/**
 * The event's id is a digest of its content, so an event counts once, through whatever services it arrives.
 *
 * @param origin distinguishes events with the same content
 */
export const eventOf = ({ account_id }: Sender, fields: Fields, origin: unknown[] = []): MessageEvent =>
  validateEvent({ ...fields, account_id, id: `ses-${sha256(JSON.stringify([fields, origin]))}` });

const subjectOf = ({ commonHeaders, headers }: Mail): string => {
  const subject = commonHeaders?.subject ?? headers?.find(({ name }) => name.toLowerCase() === "subject")?.value;
  const unfolded = subject?.replaceAll(/\r?\n(?=[ \t])/g, "") ?? "";
  return decodeHeaderText(Buffer.from(unfolded).toString("latin1"), charsetDecoder());
};

type Own = { recipient: string; [field: string]: unknown };

export const storedOf = (sender: Sender, mail: Mail, own: Own, raw_email: unknown = null): StoredEvent => {
  const message = {
    id: idOfExternal(sender.account_id, externalIdOfSes(mail.messageId, own.recipient)),
    domain_id: sender.domain_id,
    subject: subjectOf(mail),
    sender: mail.source ?? "",
    retain_until: new Date(Date.parse(mail.timestamp) + sender.retain_days * dayMilliseconds).toISOString(),
    ...own,
  };
  return eventOf(sender, { type: "message.stored", message, raw_email }) as StoredEvent;
};
