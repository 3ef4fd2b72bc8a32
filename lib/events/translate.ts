/** Reads what the queue delivers: an event of ours, or what SES reports about one or more messages. */
import { addressDomain } from "../addresses/address.ts";
import { type MessageEvent, parseEvent, type StoredEvent } from "./event.ts";
import type { Sender } from "./senders.ts";
import { translatePublished } from "./ses/published.ts";
import { translateReceived } from "./ses/received.ts";
import { readSesEvent } from "./ses/ses-event.ts";

/** `missing` are the messages of `events`. They are stored only if they aren't stored yet. */
export type Translated = { events: readonly MessageEvent[]; missing?: readonly StoredEvent[] };

/** @throws RejectedError if the body can never be recorded, or if its sender is unknown */
export const translate = async (body: string, find: (name: string) => Promise<Sender>): Promise<Translated> => {
  const event = readSesEvent(body);
  if (event === undefined) return { events: [parseEvent(body)] };
  if (event === null) return { events: [] };
  if (event.type === "Received") {
    return translateReceived(event, (recipient) => find(`ses-received:${addressDomain(recipient) ?? ""}`));
  }
  const [configurationSet = ""] = event.mail.tags?.["ses:configuration-set"] ?? [];
  return translatePublished(event, await find(`ses:${event.mail.sendingAccountId}:${configurationSet}`));
};
