/** What is asked for: path and body, read and checked before anything is done. */
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod/mini";
import {
  bodyTooLarge,
  type ErrorResponse,
  halfSurrogatePair,
  invalid,
  malformedJson,
  nestedTooDeep,
  notJsonMediaType,
  protoField,
  prototypeField,
} from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";
import type { AccountPath, Operation } from "./operations.ts";
import type { ApiRequest, Check, Step } from "./request.ts";

const maximumBodyBytes = 64 * 1024;
/** JSON.parse takes any depth; what walks the value afterwards would overflow its stack. */
const maximumDepth = 100;

const check = <T>(schema: z.ZodMiniType<T>, value: unknown): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const messages = new Set(result.error.issues.map(({ message }) => message));
  throw new ApiError(invalid([...messages].join("; ")));
};

const takesBody = ({ method }: Pick<Operation, "method">): boolean => method !== "GET";

export const path =
  <Path extends AccountPath>({ parameters }: Operation<Path>): Step<ApiRequest, { path: Path }> =>
  ({ event }) => ({ path: check(parameters, event.pathParameters ?? {}) });

/** RFC 6838, section 4.2: a type with a structured suffix is JSON whatever stands before the last plus sign. */
const jsonMediaType = /^application\/(?:[\w.!#$&^+-]+\+)?json[ \t]*(?:;|$)/i;

export const mediaType =
  (operation: Operation): Check<ApiRequest> =>
  ({ event }) => {
    const isJson = jsonMediaType.test(event.headers["content-type"] ?? "");
    if (takesBody(operation) && !isJson) throw new ApiError(notJsonMediaType);
  };

export const bodySize =
  (operation: Operation): Check<ApiRequest> =>
  ({ event: { body, isBase64Encoded } }) => {
    const bytes = Buffer.byteLength(body ?? "", isBase64Encoded ? "base64" : "utf8");
    if (takesBody(operation) && bytes > maximumBodyBytes) throw new ApiError(bodyTooLarge);
  };

const parser = jsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true });

/** The parser names a field that it takes for an attack in the error's cause. */
const refusals = new Map<unknown, ErrorResponse>([
  ["__proto__", protoField],
  ["constructor", prototypeField],
]);

const refusedField = ({ cause }: Error): unknown =>
  typeof cause === "object" && cause !== null && "data" in cause ? cause.data : undefined;

/** The body as the value that its JSON says; `undefined` for an operation without a body. */
export const json =
  (operation: Operation): Step<ApiRequest, { json: unknown }> =>
  ({ event, context }) => {
    if (!takesBody(operation)) return { json: undefined };
    const request = {
      event: { ...event, body: event.body ?? "" },
      context,
      response: undefined,
      error: undefined,
      internal: {},
    };
    try {
      parser.before?.(request);
      return { json: request.event.body };
    } catch (error) {
      throw new ApiError((error instanceof Error && refusals.get(refusedField(error))) || malformedJson);
    }
  };

/** Refuses what JSON can say, but no table can hold and no function should walk. */
const checkJson = (value: unknown, depth = 0): void => {
  if (typeof value === "string" && !value.isWellFormed()) throw new ApiError(halfSurrogatePair);
  if (value === null || typeof value !== "object") return;
  if (depth === maximumDepth) throw new ApiError(nestedTooDeep);
  for (const [name, field] of Object.entries(value)) {
    checkJson(name, depth);
    checkJson(field, depth + 1);
  }
};

export const body =
  <Body>(operation: Operation<AccountPath, Body>): Step<{ json: unknown }, { body: Body }> =>
  ({ json }) => {
    checkJson(json);
    return { body: check(operation.body, json) };
  };
