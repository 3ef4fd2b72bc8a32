/** Every event that API Gateway sends has a response of the contract. */
import { buffer } from "node:stream/consumers";
import type { APIGatewayProxyEvent } from "aws-lambda";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { invoke } from "../../../infra/local/lambda.ts";
import { type Operation, operations } from "../../../lib/api/operations.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import { decoded, expectContract } from "../../harness/any-response.ts";
import {
  body,
  headersFor,
  type Known,
  requestCount,
  seed,
  segmentFor,
} from "../../harness/hostile-request.ts";
import { newKey, newMessage, noon, table } from "../../harness/service.ts";

let known: Known;
beforeAll(async () => {
  const { account_id, secret } = await newKey();
  const message = newMessage({ account_id });
  await storeMessage(table, message, Buffer.from("Subject: Hello\r\n\r\nHello"), noon);
  known = { account_id, secret, message_id: message.id };
});

/** Decoded as API Gateway does where it can. */
const pathParameter = (id: string): fc.Arbitrary<string | null | undefined> =>
  fc.oneof(
    { weight: 8, arbitrary: segmentFor(id) },
    { weight: 1, arbitrary: fc.constantFrom("", null, undefined, "\ud800", "é", " ") },
  );

/** The last value of each header, or all of them, or both; a test event of the console has neither. */
const headerFields = fc.oneof(
  { weight: 10, arbitrary: fc.constant(["headers", "multiValueHeaders"]) },
  { weight: 1, arbitrary: fc.constantFrom<string[]>([], ["headers"], ["multiValueHeaders"]) },
);

const bodyFields = fc.oneof(
  { weight: 6, arbitrary: body.map((text) => ({ body: text, isBase64Encoded: false })) },
  {
    weight: 3,
    arbitrary: body.map((text) => ({ body: Buffer.from(text).toString("base64"), isBase64Encoded: true })),
  },
  { weight: 1, arbitrary: body.map((text) => ({ body: text, isBase64Encoded: true })) },
  { weight: 1, arbitrary: fc.constant({ body: null, isBase64Encoded: false }) },
);

const events = ({ pathParameters }: Operation): fc.Arbitrary<APIGatewayProxyEvent> => {
  const ids: Record<string, string> = known;
  const names = Object.entries(pathParameters).map(([name, { example }]) => [
    name,
    pathParameter(ids[name] ?? example),
  ]);
  return fc
    .record({
      fields: headerFields,
      pairs: headersFor(known),
      pathParameters: fc.oneof(
        { weight: 12, arbitrary: fc.record(Object.fromEntries(names)) },
        { weight: 1, arbitrary: fc.constantFrom(null, undefined, {}) },
      ),
      bodyFields,
      requestContext: fc.constantFrom({ requestId: "a-request" }, { extendedRequestId: "another" }, {}),
    })
    .map(({ fields, pairs, pathParameters, bodyFields, requestContext }) => {
      const all = Map.groupBy(pairs, ([name]) => name);
      const lines = [...all].map(([name, lines]) => [name, lines.map(([, value]) => value)]);
      const event = {
        headers: fields.includes("headers") ? Object.fromEntries(pairs) : null,
        multiValueHeaders: fields.includes("multiValueHeaders") ? Object.fromEntries(lines) : null,
        pathParameters,
        requestContext,
        ...bodyFields,
      };
      return event as unknown as APIGatewayProxyEvent;
    });
};

test.each(operations)("Every event for $id has a response of the contract", async (operation) => {
  const { createHandler } = await import(new URL(`../../../${operation.file}`, import.meta.url).href);
  const handler = createHandler(table, () => noon);
  const statuses = new Set<number>();

  const respond = async (event: APIGatewayProxyEvent): Promise<void> => {
    const { statusCode, headers, body } = await invoke(handler, event);
    const bytes = typeof body === "string" ? Buffer.from(body) : await buffer(body);
    statuses.add(statusCode);
    const lowerCased = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    try {
      expectContract(statusCode, lowerCased, decoded(bytes, lowerCased["content-encoding"]));
    } catch (cause) {
      throw new Error(`${JSON.stringify(event)} has the response ${statusCode}: ${bytes}`, { cause });
    }
  };
  const atOnce = 10;
  const batch = fc.array(events(operation), { minLength: atOnce, maxLength: atOnce });
  await fc.assert(
    fc.asyncProperty(batch, async (all) => void (await Promise.all(all.map(respond)))),
    { seed, numRuns: Math.ceil(requestCount / operations.length / atOnce), endOnFailure: true },
  );

  // Some events fail early, and others pass every check of the stack.
  expect([...statuses]).toEqual(expect.arrayContaining([400, 401]));
  expect([...statuses].some((status) => status < 300 || status === 404)).toBe(true);
});
