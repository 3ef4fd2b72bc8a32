/** What the document says before any operation, in Markdown. */
export const introduction = `Look up any email that your account has sent or received, and add people to the account.

Bodies are JSON in UTF-8. Identifiers are UUIDs, accepted in any case and answered in lower case. Timestamps are
ISO 8601 in UTC with milliseconds, such as \`2026-11-20T12:00:00.000Z\`. New fields may be added to responses.

## Authentication

Every request carries an API key of the account as a bearer token:

\`\`\`
Authorization: Bearer <API key>
\`\`\`

A key has scopes, which say what it may do; each operation names the one it needs, and \`*\` stands for all of them.
A new key works, and a revoked one stops working, on the very next request.

## Errors

Every error has the same shape, with one sentence to read:

\`\`\`json
{ "message": "account_id must be a UUID" }
\`\`\`

A caller without a valid key is answered \`401\` whatever else is wrong. A path or method that does not exist is a \`404\`.
After a \`503\`, wait as long as \`Retry-After\` says and try again.
`;
