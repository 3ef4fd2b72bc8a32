/** Get Message: one message with its delivery attempts, counters, the raw email and its parsed form. */
import { endpoint } from "../lib/api/endpoint.ts";
import { messageNotFound } from "../lib/api/error-catalogue.ts";
import { ApiError } from "../lib/api/errors.ts";
import { getMessage } from "../lib/api/operations.ts";
import { domainScope, grants, isDomainScope } from "../lib/api-keys/scopes.ts";
import { messageBody } from "../lib/messages/body.ts";
import { findMessage } from "../lib/messages/find.ts";

export const createHandler = endpoint({
  operation: getMessage,
  prefetch: ({ path, table, now }) => findMessage(table, path.account_id, path.message_id, now),
  permits: ({ scopes }, message) =>
    message ? grants(scopes, domainScope(message.head.domain)) : scopes.some(isDomainScope), // who may read some messages hears that this one is not there
  handle: ({ prefetched: message }) => {
    if (!message) throw new ApiError(messageNotFound);
    return { status: 200, body: messageBody(message) };
  },
});

export const handler = createHandler();
