/** An operation's responses in OpenAPI, with headers, schema, and an example of each error. */
import * as catalogue from "../../lib/http/error-catalogue.ts";
import type { Operation } from "../../lib/http/operations.ts";
import type { Parameter } from "../../lib/http/parameters.ts";
import { requestIdHeader } from "../../lib/http/response.ts";
import { type Component, nameOf, schemaRef } from "./components.ts";
import type { Errors, Examples, OperationTexts } from "./texts.ts";

type Header = { $ref: string } | { description: string; required: boolean; schema: object };
type Headers = Record<string, Header>;

export type ResponseObject = {
  description: string;
  headers: Headers;
  content?: ReturnType<typeof jsonContent>;
};

const jsonContent = (schema: string, examples: Examples) => ({
  "application/json": { schema: schemaRef(schema), examples },
});

const constant = (value: string | undefined) => ({ type: "string", const: value });
const required = (description: string, schema: object) => ({ description, required: true, schema });
const optional = (description: string, schema: object) => ({ description, required: false, schema });

export const commonHeaders: Headers = {
  "Cache-Control": required("No cache may store the response.", constant("no-store")),
  "X-Content-Type-Options": required("Browsers must not guess another media type.", constant("nosniff")),
  [requestIdHeader]: required("Identifies the request, for example when you report a problem.", {
    type: "string",
  }),
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
  "Content-Encoding": optional("The coding of the body. Absent if the body is not compressed.", {
    type: "string",
    enum: ["zstd", "br", "gzip"],
  }),
  Vary: required(headerDescriptions.Vary ?? "", constant("Accept-Encoding")),
};

const replayHeader: Headers = {
  "Idempotent-Replayed": optional(
    "Present if an earlier request with the same Idempotency-Key had this response.",
    constant("true"),
  ),
};

const headersOf = (errors: readonly catalogue.ErrorResponse[]): Headers => {
  const names = new Set(errors.flatMap(({ headers = {} }) => Object.keys(headers)));
  return Object.fromEntries(
    Array.from(names, (name) => {
      const values = [...new Set(errors.flatMap(({ headers = {} }) => headers[name] ?? []))];
      const schema = values.length === 1 ? constant(values[0]) : { type: "string", enum: values };
      return [name, required(headerDescriptions[name] ?? "", schema)];
    }),
  );
};

/** Parses an empty string, which no parameter accepts, to get the parameter's error message. */
const ruleOf = ({ schema }: Parameter<unknown>): string =>
  (schema.safeParse("").error?.issues ?? []).map(({ message }) => message).join("; ");

const commonErrors = ({ pathParameters, queryParameters, ...operation }: Operation): Errors => {
  const parameters = Object.entries<Parameter<unknown>>({ ...pathParameters, ...queryParameters });
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
      "A field __proto__": catalogue.protoField,
      "A field constructor that contains prototype": catalogue.prototypeField,
      "A body over 64 KiB": catalogue.bodyTooLarge,
      "Not JSON": catalogue.notJsonMediaType,
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
  415: "The media type of the request body is not JSON.",
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
      content: jsonContent("ApiError", Object.fromEntries(examples)),
    };
  }
  return responses;
};
