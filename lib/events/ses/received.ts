/** Translates what a receipt rule with an S3 action reports: one message for each recipient that the rule has matched. */

import * as z from "zod/mini";
import { bareAddress } from "../../addresses/mailbox.ts";
import { validate } from "../../messages/rejected-error.ts";
import type { Sender } from "../senders.ts";
import type { Translated } from "../translate.ts";
import { storedOf } from "./message-of-mail.ts";
import { maybe, object, type SesEvent, text, texts } from "./ses-event.ts";

const verdict = z.nullish(object({ status: maybe }));
const action = object({ type: text, objectKey: maybe });
const Received = z.object({
  receipt: object({ recipients: texts, spamVerdict: verdict, virusVerdict: verdict, action }),
});

/** @param find returns the sender that a recipient's domain names */
export const translateReceived = async (
  { mail, fields }: SesEvent,
  find: (recipient: string) => Promise<Sender>,
): Promise<Translated> => {
  const { recipients, spamVerdict, virusVerdict, action } = validate(Received, fields).receipt;
  if (action.type !== "S3") return { events: [] }; // Another action of the rule reports the same email.
  const isSpam = [spamVerdict, virusVerdict].some((verdict) => verdict?.status === "FAIL");
  const shared = {
    direction: "incoming",
    is_bounce_notification: bareAddress(mail.source ?? "") === "",
    message_id: mail.commonHeaders?.messageId ?? "",
    tags: isSpam ? ["spam"] : [],
    status: "received",
    delivered_at: mail.timestamp,
  };
  const stored = recipients.map(bareAddress).map(async (recipient) => {
    return storedOf(await find(recipient), mail, { ...shared, recipient }, action.objectKey);
  });
  return { events: await Promise.all(stored) };
};
