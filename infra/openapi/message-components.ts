/** Describes each field of a message, for the OpenAPI document and the schema of events. */
import { Attachment, ParsedContent, Part } from "../../lib/email/parsed-email.ts";
import { DeliveryAttempt, Message } from "../../lib/messages/message.ts";
import { component } from "./components.ts";

const addressRule =
  "UTF-8 is allowed (RFC 6531). An address in use that RFC 5321 forbids is in quotes: `nia..v.@docomo.example` is " +
  '`"nia..v."@docomo.example`.';

export const messageComponents = {
  Message: component(
    Message,
    "An email that the account sent or received. Without the parameter `fields`, a response has every field, unless the " +
      "description of the field states otherwise.",
    {
      object: "The type of the object.",
      created_at: "The time when the message was stored.",
      updated_at: "The time of the last change to the message, such as a delivery attempt, an open or a click.",
      retain_until: "The time when the message is purged. From then on, the response is `404`.",
      direction: "`outgoing` if the account sent the email, `incoming` if the account received it.",
      is_bounce_notification: "Whether this email reports that another email was not delivered.",
      delivery_attempts: "All attempts to deliver the email, oldest first. Empty before the first attempt.",
      message_id: "The value of the email's Message-ID header. The path of a request takes the `id` instead.",
      id: "The id with which the message was created.",
      subject: "The subject of the email.",
      tags: "The labels that the message was created with.",
      sender: { format: "idn-email", description: `The sender's address. ${addressRule}` },
      recipient: { format: "idn-email", description: `The recipient's address. ${addressRule}` },
      status: "The state of the message as free text, without a fixed list of values.",
      num_attempts: "The number of delivery attempts.",
      click_count: "The number of clicks on links in the email.",
      open_count: "The number of times that the email was opened.",
      domain_id: "The domain that the message belongs to.",
      account_id: "The account that the message belongs to.",
      sent_at: "The time when the message was sent. Null before the message is sent.",
      delivered_at: "The time when the message was delivered. Null before the message is delivered.",
      bounce_classification: "The kind of the bounce, such as `mailbox-full`. Present only if it applies.",
      reference_message_id:
        "The number of the bounced message, a 64-bit integer that can exceed 2^53. Present only for bounces.",
      content:
        "The original raw email (RFC 822), with every byte. If the bytes are valid UTF-8, the email is decoded as UTF-8. " +
        "Otherwise each character stands for one byte (latin1). Null if the email is not available.",
      content_parsed: "The parsed email. Null if `content` is null or cannot be parsed.",
    },
  ),
  DeliveryAttempt: component(DeliveryAttempt, "One attempt to deliver an email to the recipient's server.", {
    time: "The time of the attempt.",
    log: "The response of the recipient's server.",
    status: "The result of the attempt as free text.",
  }),
  ParsedContent: component(ParsedContent, "The texts, attachments and headers of an email.", {
    parts: "The inline texts, plain or HTML, in the order of the email.",
    attachments: "All other parts, in the order of the email. Inline images are attachments, too.",
    headers:
      "The headers of the email. Each name has one value for each occurrence, in order. Values are unfolded and decoded " +
      "(RFC 2047). Names that differ only in case share one array, under the first spelling.",
  }),
  Part: component(Part, "One inline text of an email.", {
    content_type: "The media type in lower case, without parameters, such as `text/html`.",
    content: "The text, transfer-decoded and converted to Unicode.",
  }),
  Attachment: component(Attachment, "A part of an email that is not an inline text, such as a file.", {
    filename: "The name of the file. Empty if the part has no file name.",
    content: { contentEncoding: "base64", description: "The bytes as base64 without line breaks." },
    content_type: "The media type in lower case, without parameters, such as `application/pdf`.",
    content_id: "The Content-ID without angle brackets. HTML refers to it as `cid:…`. Empty if the part has none.",
  }),
};
