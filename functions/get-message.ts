/** Get Message: one message with its delivery attempts, counters, the raw email and its parsed form. */
import { grants } from "../lib/api/authenticate.ts";
import { endpoint } from "../lib/api/endpoint.ts";
import { ApiError } from "../lib/api/errors.ts";
import { getMessage } from "../lib/api/operations.ts";
import { messageBody } from "../lib/messages/body.ts";
import { findMessage } from "../lib/messages/find.ts";

const isDomainScope = (scope: string): boolean => scope.startsWith("messages:read:{");

export const serve = endpoint({
  operation: getMessage,
  prefetch: ({ path, table, now }) => findMessage(table, path.account_id, path.message_id, now),
  permits: (principal, message) =>
    message
      ? grants(principal, `messages:read:{${message.head.domain}}`)
      : principal.scopes.some(isDomainScope), // who may read some messages hears that this one is not there
  handle: ({ prefetched: message }) => {
    if (!message) throw new ApiError(404, "Message not found");
    return { status: 200, body: messageBody(message) };
  },
});

export const handler = serve();
