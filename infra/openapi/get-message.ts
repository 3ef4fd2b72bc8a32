/** Descriptions and examples of the operation Get Message, for the API reference. */

import { domainScope } from "../../lib/api-keys/scopes.ts";
import { messageNotFound, tooLargeUncompressed } from "../../lib/http/error-catalogue.ts";
import { getMessage } from "../../lib/http/operations.ts";
import { Message } from "../../lib/messages/message.ts";
import bounceNotification from "./examples/bounce-notification.json" with { type: "json" };
import deliveredMessage from "./examples/delivered-message.json" with { type: "json" };
import { messageComponents } from "./message-components.ts";
import type { OperationTexts } from "./texts.ts";

export const getMessageTexts: OperationTexts = {
  tag: "Messages",
  summary: "Get Message",
  description: `Returns one message: its delivery attempts, its counters, the original raw email, and the parsed email.

A message can be read as soon as the call that stored it has returned, until its \`retain_until\`. The raw email can have
up to 40 MiB. The response is compressed with the coding that \`Accept-Encoding\` asks for: zstd, br or gzip.

With \`fields\`, the response contains only the listed fields. Without \`content\` and \`content_parsed\` it is small and
fast, so you can ask for the status of a message again and again.

The API key needs the scope \`${getMessage.scope}\` or \`${domainScope("example.com")}\` (with the braces). In the second
form, \`example.com\` is the domain of the message's sender, or of its recipient for an incoming message.`,
  success: {
    description: "The message.",
    schema: Message,
    examples: {
      delivered: { summary: "An email that was delivered, opened and clicked", value: deliveredMessage },
      bounce: { summary: "A bounce notification without content", value: bounceNotification },
    },
  },
  errors: {
    "No such message": messageNotFound,
    "Too large without compression": tooLargeUncompressed,
  },
  descriptions: {
    404: "The account has no such message, or the message was purged.",
    406:
      "The message's JSON exceeds 200 MB, and `Accept-Encoding` accepts no coding that makes it small enough. Only an " +
      "email with very many control characters is that large.",
  },
  components: messageComponents,
};
