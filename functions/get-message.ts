/** Get Message: one message with its delivery attempts, counters, the raw email and its parsed form. */
import { grants } from "../lib/api/authenticate.ts";
import { endpoint } from "../lib/api/endpoint.ts";
import { ApiError } from "../lib/api/errors.ts";
import { getMessage } from "../lib/api/operations.ts";
import { messageBody } from "../lib/messages/body.ts";
import { findMessage, type StoredMessage } from "../lib/messages/find.ts";

/** The domain that a key may be confined to: the sender's, or for an incoming message the recipient's. */
const domainOf = ({ head }: StoredMessage): string => {
  const address = head.direction === "incoming" ? head.recipient : head.sender;
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
};

const isDomainScope = (scope: string): boolean => scope.startsWith("messages:read:{");

export const serve = endpoint({
  operation: getMessage,
  prefetch: ({ path, table, now }) => findMessage(table, path.account_id, path.message_id, now),
  permits: (principal, message) =>
    message
      ? grants(principal, `messages:read:{${domainOf(message)}}`)
      : principal.scopes.some(isDomainScope), // who may read some messages hears that this one is not there
  handle: ({ prefetched: message }) => {
    if (!message) throw new ApiError(404, "Message not found");
    return { status: 200, body: messageBody(message) };
  },
});

export const handler = serve();
