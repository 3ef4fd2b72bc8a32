/** Get Message returns one message with its delivery attempts and counters, the raw email and the parsed email. */
import { endpoint } from "../lib/api/endpoint.ts";
import { lacksScope, messageNotFound } from "../lib/api/error-catalogue.ts";
import { ApiError } from "../lib/api/errors.ts";
import { getMessage } from "../lib/api/operations.ts";
import { streamed } from "../lib/api/streamed.ts";
import { lambdaFunction } from "../lib/api/warm-up.ts";
import { domainScope, grants, isDomainScope } from "../lib/api-keys/scopes.ts";
import { messageBody } from "../lib/messages/body.ts";
import { includesContent } from "../lib/messages/fields.ts";
import { findMessage } from "../lib/messages/find.ts";

export const createHandler = endpoint({
  operation: getMessage,
  delivery: streamed,
  isPartialScope: isDomainScope,
  prefetch: ({ path, query, table, now }) =>
    findMessage(table, path.account_id, path.message_id, now, {
      consistent: false,
      withContent: includesContent(query.fields),
    }),
  handle: async ({ path, query: { fields }, prefetched, scopes, table, now }) => {
    const withContent = includesContent(fields);
    const message = prefetched ?? (await findMessage(table, path.account_id, path.message_id, now, { withContent }));
    // If the message doesn't exist, there is no domain to check, so even a key limited to one domain gets a 404.
    if (!message) throw new ApiError(messageNotFound);
    if (!grants(scopes, getMessage.scope, domainScope(message.head.domain))) {
      throw new ApiError(lacksScope(getMessage.scope));
    }
    return { status: getMessage.status, body: messageBody(message, fields) };
  },
});

export const { handler, warmUp } = lambdaFunction(createHandler);
