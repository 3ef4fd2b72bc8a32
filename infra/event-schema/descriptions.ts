/** Descriptions of the events and their fields, for the JSON Schema. */
import type { MessageEvent } from "../../lib/events/event.ts";

type Descriptions = { event: string; fields: Record<string, string> };

const latest = "The message has the value of the latest status event with this field.";

export const commonFields = {
  id:
    "Identifies the event within the account. The sender chooses the id. The same event is recorded once, even if it " +
    "arrives several times. A different event with the same id is rejected.",
  account_id: "The account that the message belongs to.",
  message: "The message. An event that arrives before its message is recorded after the message is stored.",
};

/** How an event names its message. The other fields of a message are those of Get Message. */
export const messageFields = {
  id: "The message's id, a UUID that you choose.",
  external_id:
    "Your own id of the message, instead of `id`. The `id` is then the UUID version 5 (RFC 9562) of this text, in UTF-8, in " +
    "the namespace of `account_id`.",
  sender:
    "The sender's address, also as `Ada <ada@example.com>`. The null sender of a bounce, `<>` or an empty text, becomes " +
    "mailer-daemon@ the recipient's domain. UTF-8 is allowed (RFC 6531).",
  recipient: "The recipient's address, also as `Ada <ada@example.com>`. UTF-8 is allowed (RFC 6531).",
};

export const descriptions: Record<MessageEvent["type"], Descriptions> = {
  "message.stored": {
    event: "A new message. A message that already exists stays unchanged.",
    fields: {
      message: "The message when it is stored.",
      raw_email:
        "The key of the raw email in the bucket. The email may have up to 40 MiB. Null if the email is not available. Put " +
        "the email into the bucket before you send the event.",
    },
  },
  "message.content": {
    event: "The raw email of a message that was stored without it.",
    fields: { raw_email: "The key of the raw email in the bucket. The email may have up to 40 MiB." },
  },
  "message.status": {
    event: "A message has a new status.",
    fields: {
      time:
        "The time of the change. The message has the status with the latest time, in whatever order the events arrive. If " +
        "two times are equal, the event whose id sorts last counts. Any status event replaces the status of message.stored.",
      status: "The new status as free text.",
      sent_at: `The time when the message was sent. ${latest}`,
      delivered_at: `The time when the message was delivered. ${latest}`,
      bounce_classification: `The kind of the bounce, such as mailbox-full. ${latest}`,
    },
  },
  "message.delivery_attempt": {
    event: "An attempt to deliver a message to the recipient's server.",
    fields: {
      time: "The time of the attempt. A message lists its attempts in the order of their times.",
      status: "The result of the attempt as free text. It does not change the status of the message.",
      log: "The response of the recipient's server. A message has space for 340 KB of attempts.",
    },
  },
  "message.opened": { event: "The recipient opened the email. open_count grows by one.", fields: {} },
  "message.clicked": {
    event: "The recipient clicked a link in the email. click_count grows by one.",
    fields: {},
  },
};
