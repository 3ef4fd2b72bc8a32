/** Responses as the document shows them: headers, schema and an example of every message. */
import { schemaRef } from "./schemas.ts";

type Header = { $ref: string } | { description: string; required?: true; schema: object };
type Headers = Record<string, Header>;
type Example = { summary: string; value: unknown };

export type ResponseObject = {
  description: string;
  headers: Headers;
  content: { "application/json": { schema: { $ref: string }; examples: Record<string, Example> } };
};

/** Headers that every response has. */
export const commonHeaders: Headers = {
  "Cache-Control": {
    description: "Responses are for the caller alone, and for now: nothing may keep them.",
    required: true,
    schema: { const: "no-store" },
  },
  "X-Content-Type-Options": {
    description: "Tells browsers to take the Content-Type at its word.",
    required: true,
    schema: { const: "nosniff" },
  },
};

const always: Headers = Object.fromEntries(
  Object.keys(commonHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

export const response = (
  description: string,
  schema: string,
  examples: Record<string, Example>,
  headers: Headers = {},
): ResponseObject => ({
  description,
  headers: { ...headers, ...always },
  content: { "application/json": { schema: schemaRef(schema), examples } },
});

/** @param messages what the error says, by what brings it about */
const error = (description: string, messages: Record<string, string>, headers: Headers = {}) => {
  const examples = Object.entries(messages).map(([summary, message]) => {
    const name = summary.replaceAll(/\W+/g, "-").toLowerCase();
    return [name, { summary, value: { message } }];
  });
  return response(description, "Error", Object.fromEntries(examples), headers);
};

const challenge = (...values: string[]): Headers => ({
  "WWW-Authenticate": {
    description: "How to authenticate, and what was wrong with the credentials (RFC 6750).",
    required: true,
    schema: { type: "string", enum: values },
  },
});

export const idempotentReplayed: Headers = {
  "Idempotent-Replayed": {
    description:
      "There, and `true`, when this is the response to an earlier request with the same Idempotency-Key.",
    schema: { const: "true" },
  },
};

export const badRequest = (messages: Record<string, string>) =>
  error("A path parameter, header or field is missing or wrong; `message` says which.", messages);

export const unauthorized = error(
  "There is no valid API key of this account. A key that is unknown, revoked, expired or another account's " +
    "is always answered alike.",
  {
    "No credentials": "Missing or malformed bearer token",
    "No valid key of this account": "Invalid API key",
  },
  challenge("Bearer", 'Bearer error="invalid_token"'),
);

export const forbidden = (scope: string) =>
  error(
    "The API key is valid, but is not allowed to do this.",
    { "A scope is missing": `The API key lacks the scope ${scope}` },
    challenge('Bearer error="insufficient_scope"'),
  );

export const notFound = (message: string) =>
  error("There is no such message in this account, or it has been purged.", { "No such message": message });

export const conflict = (message: string) =>
  error(
    "The user is a member of this account. Nothing has changed.",
    { "A member already": message },
    idempotentReplayed,
  );

export const contentTooLarge = error("The request body is over 64 KiB.", {
  "A body over 64 KiB": "The request body must be at most 64 KiB",
});

export const unsupportedMediaType = error("The request body is not JSON.", {
  "Not JSON": "Content-Type must be application/json",
});

export const keyReused = error(
  "The Idempotency-Key belongs to a different request of the last 24 hours. Nothing has changed.",
  { "A key used twice": "The idempotency key was already used with a different request" },
);

/** What any operation may answer, whatever was asked. */
export const failures = {
  429: error("Too many requests in too short a time: slow down, and try again.", {
    "Rate exceeded": "Too many requests: please slow down",
  }),
  500: error("A fault of ours. Its details are in our log alone.", {
    "Our fault": "Internal server error",
  }),
  503: error(
    "For the moment, the request can't be served. It is safe to repeat.",
    { "Temporarily unavailable": "The service is temporarily unavailable: please try again" },
    {
      "Retry-After": {
        description: "The number of seconds to wait before the next attempt.",
        required: true,
        schema: { const: "1" },
      },
    },
  ),
};
