/** Checks a request's path, query and body against the schemas of its operation. */
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type * as z from "zod/mini";
import * as catalogue from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { AccountPath, Operation } from "./operations.ts";
import { type Parameter, schemaOf } from "./parameters.ts";
import type { ApiMiddleware } from "./request.ts";

const maximumBodyBytes = 64 * 1024;
/** `JSON.parse` accepts any depth, but deeply nested JSON would overflow the stack of our recursive checks. */
const maximumDepth = 100;

const check = <T>(schema: z.ZodMiniType<T>, value: unknown): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const messages = new Set(result.error.issues.map(({ message }) => message));
  throw new ApiError(catalogue.invalid([...messages].join("; ")));
};

export const path = <Path extends AccountPath>({ pathParameters }: Operation<Path>): ApiMiddleware<Path> => {
  const schema = schemaOf(pathParameters);
  return {
    before: ({ event, context: { request } }) => {
      request.path = check(schema, event.pathParameters ?? {});
    },
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

export const query = <Query>({ queryParameters }: Operation<AccountPath, Query>): ApiMiddleware<AccountPath, Query> => {
  const schema = schemaOf(queryParameters);
  const parameters = Object.entries<Parameter<unknown>>(queryParameters);
  const logged = new Set(parameters.flatMap(([name, { isLogged }]) => (isLogged ? [name] : [])));
  return {
    before: ({ event, context: { request } }) => {
      const values = Object.fromEntries(parameters.map(([name]) => [name, queryValue(event, name)]));
      request.query = check(schema, values);
      const toLog = Object.entries(request.query ?? {}).filter(
        ([name, value]) => logged.has(name) && value !== undefined,
      );
      if (toLog.length > 0) request.requestLog.query = Object.fromEntries(toLog);
    },
  };
};

/** Media types such as `application/problem+json` are JSON, too (RFC 6838, section 4.2.8). */
const jsonMediaType = /^application\/(?:[\w.!#$&^+-]+\+)?json[ \t]*(?:;|$)/i;

const parser = jsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true });

/** If Middy's JSON parser rejects a field name such as `__proto__`, the name is in `cause.data`. */
const forbiddenFields = new Map<unknown, catalogue.ErrorResponse>([
  ["__proto__", catalogue.protoField],
  ["constructor", catalogue.prototypeField],
]);

const parseJson = (event: APIGatewayProxyEvent, context: Context): unknown => {
  const withBody = { ...event, body: event.body ?? "" };
  const request = { event: withBody, context, response: undefined, error: undefined, internal: {} };
  try {
    parser.before?.(request);
    return request.event.body;
  } catch (error) {
    const { data } = Object(Object(error).cause);
    throw new ApiError(forbiddenFields.get(data) ?? catalogue.malformedJson);
  }
};

/** A lone surrogate, half of a pair, can't be stored in DynamoDB. */
const checkJson = (value: unknown, depth = 0): void => {
  if (typeof value === "string" && !value.isWellFormed()) throw new ApiError(catalogue.halfSurrogatePair);
  if (value === null || typeof value !== "object") return;
  if (depth === maximumDepth) throw new ApiError(catalogue.nestedTooDeep);
  for (const [name, field] of Object.entries(value)) {
    checkJson(name, depth);
    checkJson(field, depth + 1);
  }
};

export const body = <Body>({
  body: schema,
}: Operation<AccountPath, unknown, Body>): ApiMiddleware<AccountPath, unknown, Body> => ({
  before: ({ event, context }) => {
    if (!schema) return;
    const { request } = context;
    if (!jsonMediaType.test(event.headers["content-type"] ?? "")) throw new ApiError(catalogue.notJsonMediaType);
    const bytes = Buffer.byteLength(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
    if (bytes > maximumBodyBytes) throw new ApiError(catalogue.bodyTooLarge);
    request.json = parseJson(event, context);
    checkJson(request.json);
    request.body = check(schema, request.json);
  },
});
