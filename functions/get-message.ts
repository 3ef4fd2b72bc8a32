/** Get Message returns one message with its delivery attempts and counters, the raw email and the parsed email. */

import { domainScope, grants, isDomainScope } from "../lib/api-keys/scopes.ts";
import { endpoint } from "../lib/http/endpoint.ts";
import { lacksScope, messageNotFound } from "../lib/http/error-catalogue.ts";
import { ApiError } from "../lib/http/errors.ts";
import { getMessage } from "../lib/http/operations.ts";
import { lambdaFunction } from "../lib/http/warm-up.ts";
import { wantedFor } from "../lib/messages/fields.ts";
import { messageBody } from "../lib/messages/read/body.ts";
import { findMessage } from "../lib/messages/read/find-message.ts";

export const createHandler = endpoint({
  operation: getMessage,
  isPartialScope: isDomainScope,
  prefetch: ({ path, query, table, now }) =>
    findMessage(table, path.account_id, path.message_id, now, { consistent: false, ...wantedFor(query.fields) }),
  handle: async ({ path, query: { fields }, prefetched, scopes, table, now }) => {
    const message = prefetched ?? (await findMessage(table, path.account_id, path.message_id, now, wantedFor(fields)));
    // If the message doesn't exist, there is no domain to check, so even a key limited to one domain gets a 404.
    if (!message) throw new ApiError(messageNotFound);
    if (!grants(scopes, getMessage.scope, domainScope(message.head.domain))) {
      throw new ApiError(lacksScope(getMessage.scope));
    }
    return { status: getMessage.status, body: messageBody(message, fields) };
  },
});

export const { handler, warmUp } = lambdaFunction(getMessage, createHandler);
