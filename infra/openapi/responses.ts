/** Responses as the document shows them: headers, schema and an example of every message. */
import * as catalogue from "../../lib/api/error-catalogue.ts";
import { requestIdHeader } from "../../lib/api/response.ts";
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
  [requestIdHeader]: {
    description: "Identifies this request in our logs: send it along when you ask us about one.",
    required: true,
    schema: { type: "string" },
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

const headerDescriptions: Record<string, string> = {
  "WWW-Authenticate":
    "How to authenticate, and what was wrong with the credentials (RFC 6750). API Gateway's REST APIs rename it to " +
    "`x-amzn-Remapped-WWW-Authenticate`.",
  Vary: "The response depends on the Accept-Encoding of the request.",
  "Retry-After": "The number of seconds to wait before the next attempt.",
};

/** The headers that belong to errors, each with the values that it may have. */
const headersOf = (errors: readonly catalogue.ErrorResponse[]): Headers => {
  const names = new Set(errors.flatMap(({ headers = {} }) => Object.keys(headers)));
  return Object.fromEntries(
    Array.from(names, (name) => {
      const values = errors.flatMap(({ headers = {} }) => headers[name] ?? []);
      const schema = values.length === 1 ? { const: values[0] } : { type: "string", enum: values };
      return [name, { description: headerDescriptions[name] ?? "", required: true, schema }];
    }),
  );
};

/** @param errors the errors of one status, by what brings each about */
export const error = (
  description: string,
  errors: Record<string, catalogue.ErrorResponse>,
  headers: Headers = {},
): ResponseObject => {
  const examples = Object.entries(errors).map(([summary, { message }]) => {
    const name = summary.replaceAll(/\W+/g, "-").toLowerCase();
    return [name, { summary, value: { message } }];
  });
  return response(description, "Error", Object.fromEntries(examples), {
    ...headersOf(Object.values(errors)),
    ...headers,
  });
};

export const idempotentReplayed: Headers = {
  "Idempotent-Replayed": {
    description:
      "There, and `true`, when this is the response to an earlier request with the same Idempotency-Key.",
    schema: { const: "true" },
  },
};

export const badRequest = (errors: Record<string, catalogue.ErrorResponse>) =>
  error("A path parameter, header or field is missing or wrong; `message` says which.", errors);

export const unauthorized = error(
  "There is no valid API key of this account. A key that is unknown, revoked, expired or another account's " +
    "is always answered alike.",
  {
    "No credentials": catalogue.missingCredentials,
    "No valid key of this account": catalogue.invalidApiKey,
  },
);

export const forbidden = (scope: string) =>
  error("The API key is valid, but is not allowed to do this.", {
    "A scope is missing": catalogue.lacksScope(scope),
  });

/** What any operation may answer, whatever was asked. */
export const failures = {
  429: error("Too many requests in too short a time: slow down, and try again.", {
    "Rate exceeded": catalogue.tooManyRequests,
  }),
  500: error("A fault of ours. Its details are in our log alone.", { "Our fault": catalogue.internalError }),
  503: error("For the moment, the request can't be served. It is safe to repeat.", {
    "Temporarily unavailable": catalogue.unavailable,
  }),
};
