/** Parses a JSON body strictly, so that no two programs can read it differently. */
import jsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import * as catalogue from "./error-catalogue.ts";
import { ApiError } from "./errors.ts";

const maximumBodyBytes = 64 * 1024;
/** `JSON.parse` accepts any depth, but deeply nested JSON would overflow the stack of our recursive checks. */
const maximumDepth = 100;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const textOf = ({ body, isBase64Encoded }: APIGatewayProxyEvent): string => {
  // In a test event of the Lambda console, the body may be an object.
  const text: string = typeof body === "object" && body !== null ? JSON.stringify(body) : `${body ?? ""}`;
  const bytes = Buffer.from(text, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > maximumBodyBytes) throw new ApiError(catalogue.bodyTooLarge);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError(catalogue.notUtf8);
  }
};

const parser = jsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true });

/** If Middy's JSON parser rejects a field name such as `__proto__`, the name is in `cause.data`. */
const forbiddenFields = new Map<unknown, catalogue.ErrorResponse>([
  ["__proto__", catalogue.protoField],
  ["constructor", catalogue.prototypeField],
]);

const parse = (text: string): unknown => {
  const event = { body: text } as APIGatewayProxyEvent;
  try {
    parser.before?.({ event, context: {} as Context, response: undefined, error: undefined, internal: {} });
    return event.body;
  } catch (error) {
    const { data } = Object(Object(error).cause);
    throw new ApiError(forbiddenFields.get(data) ?? catalogue.malformedJson);
  }
};

/**
 * A lone surrogate, half of a pair, can't be stored in DynamoDB. U+FFFD stands for lost bytes: API Gateway may put it in
 * place of those that aren't UTF-8.
 */
const checkText = (text: string): void => {
  if (!text.isWellFormed()) throw new ApiError(catalogue.halfSurrogatePair);
  if (text.includes("\ufffd")) throw new ApiError(catalogue.notUtf8);
};

const checkValue = (value: unknown, depth = 0): void => {
  if (typeof value === "string") checkText(value);
  if (value === null || typeof value !== "object") return;
  if (depth === maximumDepth) throw new ApiError(catalogue.nestedTooDeep);
  for (const [name, field] of Object.entries(value)) {
    checkText(name);
    checkValue(field, depth + 1);
  }
};

/** A string, with the colon that follows a field's name, or a brace. `text` is valid JSON. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/gs;

/** `JSON.parse` keeps the last of several fields with the same name, and other programs keep the first. */
const checkNames = (text: string): void => {
  const objects: Set<string>[] = [];
  for (const [all, string = "", colon] of text.matchAll(token)) {
    if (all === "{") objects.push(new Set());
    if (all === "}") objects.pop();
    if (!colon) continue;
    const name: string = JSON.parse(string);
    if (objects.at(-1)?.has(name)) throw new ApiError(catalogue.repeatedField(name));
    objects.at(-1)?.add(name);
  }
};

/** @throws ApiError */
export const parseJsonBody = (event: APIGatewayProxyEvent): unknown => {
  const text = textOf(event);
  const json = parse(text);
  checkValue(json);
  checkNames(text);
  return json;
};
