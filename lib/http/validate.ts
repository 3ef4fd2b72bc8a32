/** Checks a request's path, query and body against the schemas of its operation. */
import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod/mini";
import * as catalogue from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import { parseJsonBody } from "./json-body.ts";
import type { AccountPath, Operation } from "./operations.ts";
import { type Parameter, schemaOf } from "./parameters.ts";
import { headerValues, type Received } from "./request.ts";

const check = <T>(schema: z.ZodMiniType<T>, value: unknown): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const messages = new Set(result.error.issues.map(({ message }) => message));
  throw new ApiError(catalogue.invalid([...messages].join("; ")));
};

export const path = <Path extends AccountPath>({ pathParameters }: Operation<Path>) => {
  const schema = schemaOf(pathParameters);
  return ({ event, requestLog }: Received): { path: Path } => {
    const path: Path & { message_id?: string } = check(schema, event.pathParameters ?? {});
    requestLog.messageUuid = path.message_id;
    return { path };
  };
};

const queryValue = (
  { queryStringParameters, multiValueQueryStringParameters }: APIGatewayProxyEvent,
  name: string,
): string | undefined => {
  const values = multiValueQueryStringParameters?.[name] ?? [];
  if (values.length > 1) throw new ApiError(catalogue.repeatedParameter(name));
  return values[0] ?? queryStringParameters?.[name];
};

export const query = <Query>({ queryParameters }: Operation<AccountPath, Query>) => {
  const schema = schemaOf(queryParameters);
  const parameters = Object.entries<Parameter<unknown>>(queryParameters);
  const logged = new Set(parameters.flatMap(([name, { isLogged }]) => (isLogged ? [name] : [])));
  return ({ event, requestLog }: Received): { query: Query } => {
    const values = Object.fromEntries(parameters.map(([name]) => [name, queryValue(event, name)]));
    const query = check(schema, values);
    const toLog = Object.entries(query ?? {}).filter(([name, value]) => logged.has(name) && value !== undefined);
    if (toLog.length > 0) requestLog.query = Object.fromEntries(toLog);
    return { query };
  };
};

/** Media types such as `application/problem+json` are JSON, too (RFC 6838, section 4.2.8). */
const jsonMediaType = /^application\/(?:[\w.!#$&^+-]+\+)?json[ \t]*(?:;|$)/i;

/** `json` is the parsed body with its unknown fields, which `body` lacks. */
export const body =
  <Body>({ body: schema }: Operation<AccountPath, unknown, Body>) =>
  (request: Received): { json: unknown; body: Body } => {
    if (!schema) return { json: undefined, body: undefined as Body };
    const [mediaType = "", ...others] = new Set(headerValues(request, "content-type"));
    if (others.length > 0 || !jsonMediaType.test(mediaType)) throw new ApiError(catalogue.notJsonMediaType);
    if (headerValues(request, "content-encoding").length > 0) throw new ApiError(catalogue.encodedBody);
    const json = parseJsonBody(request.event);
    return { json, body: check(schema, json) };
  };
