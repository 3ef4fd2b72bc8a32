/** An operation's responses in OpenAPI, with headers, schema, and an example of each error. */
import * as catalogue from "../../lib/http/error-catalogue.ts";
import type { Operation } from "../../lib/http/operations.ts";
import type { Parameter } from "../../lib/http/parameters.ts";
import { requestIdHeader } from "../../lib/http/response.ts";
import { type Component, nameOf, schemaRef } from "./components.ts";
import type { Errors, Examples, OperationTexts } from "./texts.ts";

type Header =
  | { $ref: string }
  | { description: string; required: boolean; schema: object; examples?: Record<string, { value: string }> };
type Headers = Record<string, Header>;

export type ResponseObject = {
  description: string;
  headers: Headers;
  content?: ReturnType<typeof jsonContent>;
};

const jsonContent = (schema: string, examples: Examples) => ({
  "application/json": { schema: schemaRef(schema), examples },
});

/** The values are examples, because ogen makes code that doesn't compile from `enum` and `const` of a header. */
const header = (required: boolean, description: string, ...values: readonly string[]): Header => ({
  description,
  required,
  schema: { type: "string" },
  ...(values.length > 0 && { examples: Object.fromEntries(values.map((value) => [value, { value }])) }),
});

export const commonHeaders: Headers = {
  "Cache-Control": header(true, "No cache may store the response.", "no-store"),
  "X-Content-Type-Options": header(true, "Browsers must not guess another media type.", "nosniff"),
  [requestIdHeader]: header(true, "Identifies the request, for example when you report a problem."),
};

const commonHeaderRefs: Headers = Object.fromEntries(
  Object.keys(commonHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const headerDescriptions: Record<string, string> = {
  "WWW-Authenticate":
    "The authentication scheme and the reason for the error (RFC 6750). API Gateway renames this header to " +
    "`x-amzn-Remapped-WWW-Authenticate`.",
  Vary: "The response depends on the request's Accept-Encoding.",
  "Retry-After": "The number of seconds to wait before the next request.",
};

const compressionHeaders: Headers = {
  "Content-Encoding": header(
    false,
    "The coding of the body. Absent if the body is not compressed.",
    "zstd",
    "br",
    "gzip",
  ),
  Vary: header(true, headerDescriptions.Vary ?? "", "Accept-Encoding"),
};

const replayHeader: Headers = {
  "Idempotent-Replayed": header(
    false,
    "Present if an earlier request with the same Idempotency-Key had this response.",
    "true",
  ),
};

const headersOf = (errors: readonly catalogue.ErrorResponse[]): Headers => {
  const names = new Set(errors.flatMap(({ headers = {} }) => Object.keys(headers)));
  return Object.fromEntries(
    Array.from(names, (name) => {
      const values = new Set(errors.flatMap(({ headers = {} }) => headers[name] ?? []));
      return [name, header(true, headerDescriptions[name] ?? "", ...values)];
    }),
  );
};

/** Parses an empty string, which no parameter accepts, to get the parameter's error message. */
const ruleOf = ({ schema }: Parameter<unknown>): string =>
  (schema.safeParse("").error?.issues ?? []).map(({ message }) => message).join("; ");

const commonErrors = ({ pathParameters, queryParameters, ...operation }: Operation): Errors => {
  const { account_id: _, ...ownPath } = pathParameters; // A wrong account_id has no key, so it gets a 401.
  const parameters = Object.entries<Parameter<unknown>>({ ...ownPath, ...queryParameters });
  const query = Object.keys(queryParameters);
  return {
    ...Object.fromEntries(parameters.map(([name, it]) => [`A wrong ${name}`, catalogue.invalid(ruleOf(it))])),
    ...Object.fromEntries(query.map((name) => [`A repeated ${name}`, catalogue.repeatedParameter(name)])),
    "No credentials": catalogue.missingCredentials,
    "No valid key of this account": catalogue.invalidApiKey,
    "A missing scope": catalogue.lacksScope(operation.scope),
    ...(operation.body && {
      "Malformed JSON": catalogue.malformedJson,
      "JSON with too many levels": catalogue.nestedTooDeep,
      "Text that is not Unicode": catalogue.halfSurrogatePair,
      "Text that is not UTF-8": catalogue.notUtf8,
      "A field that occurs twice": catalogue.repeatedField("role"),
      "A field __proto__": catalogue.protoField,
      "A field constructor that contains prototype": catalogue.prototypeField,
      "A body over 64 KiB": catalogue.bodyTooLarge,
      "Not JSON": catalogue.notJsonMediaType,
      "A compressed body": catalogue.encodedBody,
    }),
    ...(operation.idempotent && {
      "A wrong Idempotency-Key": catalogue.idempotencyKeyLength,
      "Two Idempotency-Keys": catalogue.idempotencyKeyConflict,
      "A key used twice": catalogue.idempotencyKeyReused,
    }),
    "Rate limit exceeded": catalogue.tooManyRequests,
    "An internal error": catalogue.internalError,
    "Temporarily unavailable": catalogue.unavailable,
  };
};

const descriptions: Record<string, string> = {
  400: "The request is invalid. The message names the parameter, header or field, and what it accepts.",
  401:
    "The request has no valid API key of this account. A key that is unknown, revoked, expired or of another account " +
    "gets the same response.",
  403: "The API key is valid, but lacks the required scope.",
  413: "The request body has more than 64 KiB.",
  415: "The media type of the request body is not JSON, or the body is compressed.",
  422: "The Idempotency-Key was used with a different request in the last 24 hours. Nothing changed.",
  429: "The rate limit is exceeded.",
  500: "The service failed. Only its log contains the details.",
  503: "The service is temporarily unavailable. The request can safely be sent again.",
};

export const responsesOf = (
  operation: Operation,
  texts: OperationTexts,
  components: Readonly<Record<string, Component>>,
): Record<string, ResponseObject> => {
  const { description, schema, examples = {} } = texts.success;
  const replay = operation.idempotent ? replayHeader : {};
  const errors = Object.entries({ ...commonErrors(operation), ...texts.errors });
  const responses: Record<string, ResponseObject> = {
    [operation.status]: {
      description,
      headers: { ...replay, ...(operation.streams ? compressionHeaders : {}), ...commonHeaderRefs },
      ...(schema && { content: jsonContent(nameOf(schema, components), examples) }),
    },
  };
  for (const [status, group] of Map.groupBy(errors, ([, error]) => error.status)) {
    const examples = group.map(([summary, { message }]) => {
      const name = summary.replaceAll(/\W+/g, "-").toLowerCase();
      return [name, { summary, value: { message } }];
    });
    responses[status] = {
      description: { ...descriptions, ...texts.descriptions }[status] ?? "",
      headers: {
        ...headersOf(group.map(([, error]) => error)),
        ...(status === 404 || status === 409 ? replay : {}),
        ...commonHeaderRefs,
      },
      content: jsonContent("ErrorBody", Object.fromEntries(examples)),
    };
  }
  return responses;
};
