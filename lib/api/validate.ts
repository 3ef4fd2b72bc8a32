/** What is asked for: path, Idempotency-Key and body, read and checked before anything is done. */
import { createHash } from "node:crypto";
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type * as z from "zod/mini";
import { ApiError } from "./errors.ts";
import type { Operation } from "./operations.ts";
import { type ApiMiddleware, eager, type Input } from "./request.ts";

const maximumBodyBytes = 64 * 1024;
/** JSON.parse takes any depth; what walks the value afterwards would overflow its stack. */
const maximumDepth = 100;

const check = <T extends z.ZodMiniType>(schema: T, value: unknown): z.output<T> => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ApiError(400, [...new Set(result.error.issues.map(({ message }) => message))].join("; "));
};

const parseJson = jsonBodyParser({ disableContentTypeCheck: true });

const readBody = (event: APIGatewayProxyEvent): unknown => {
  const mediaType = event.headers["content-type"] ?? "";
  if (!/^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i.test(mediaType)) {
    throw new ApiError(415, "Content-Type must be application/json");
  }
  const text = event.body ?? "";
  if (Buffer.byteLength(text, event.isBase64Encoded ? "base64" : "utf8") > maximumBodyBytes) {
    throw new ApiError(413, "The request body must be at most 64 KiB");
  }
  const parsed = { event: { ...event, body: text } };
  try {
    parseJson.before?.(parsed as never);
  } catch (error) {
    // The parser's other refusal: a field that could replace an object's prototype.
    const forbidden = (error as Error).message.startsWith("Forbidden key");
    throw new ApiError(
      400,
      `The request body must ${forbidden ? "have no __proto__ field" : "be valid JSON"}`,
    );
  }
  return parsed.event.body;
};

const readIdempotencyKey = (event: APIGatewayProxyEvent): string | undefined => {
  const key = event.headers["idempotency-key"];
  if (key !== undefined && (key.length < 1 || key.length > 255)) {
    throw new ApiError(400, "Idempotency-Key must be 1 to 255 characters");
  }
  return key;
};

/** The value as JSON with the fields of every object in order: equal values, equal text. */
const canonical = (value: unknown, depth = 0): string => {
  if (depth > maximumDepth)
    throw new ApiError(400, `The body must not nest deeper than ${maximumDepth} levels`);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1))}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field, depth + 1)}`)}}`;
};

const fingerprint = (operation: Operation, path: object, body: unknown): string =>
  createHash("sha256")
    .update(`${operation.method} ${operation.path} ${canonical(path)} ${canonical(body)}`)
    .digest("hex");

/** Reads the request against the operation's schemas; {@link Input} is there for who asks for it. */
export const validate = (operation: Operation): ApiMiddleware => ({
  before: ({ event, context: { state } }) => {
    state.path = eager(() => check(operation.parameters, event.pathParameters ?? {}));
    state.input = eager(() => {
      const path = state.path();
      const idempotencyKey = operation.idempotent ? readIdempotencyKey(event) : undefined;
      const body = operation.body ? readBody(event) : undefined;
      return {
        path,
        idempotencyKey,
        fingerprint: operation.idempotent ? fingerprint(operation, path, body) : "",
        body: operation.body && check(operation.body, body),
      } as Input<Operation>;
    });
  },
});
