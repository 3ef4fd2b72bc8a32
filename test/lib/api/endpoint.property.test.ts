/** Whatever event API Gateway hands over, the function's response is one of the contract's: never a 5xx. */
import { buffer } from "node:stream/consumers";
import type { APIGatewayProxyEvent } from "aws-lambda";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createHandler as addAccountMemberHandler } from "../../../functions/add-account-member.ts";
import { createHandler as getMessageHandler } from "../../../functions/get-message.ts";
import { invoke } from "../../../infra/local/lambda.ts";
import { addAccountMember, getMessage, type OperationId } from "../../../lib/api/operations.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import { decoded, expectContract } from "../../harness/any-answer.ts";
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

const clock = () => noon;
const functions = [
  { operation: getMessage, handler: getMessageHandler(table, clock) },
  { operation: addAccountMember, handler: addAccountMemberHandler(table, clock) },
] as const;

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

type Sent = { operation: OperationId; event: Partial<APIGatewayProxyEvent> };

const sent = (): fc.Arbitrary<Sent> =>
  fc
    .record({
      operation: fc.constantFrom(getMessage.id, addAccountMember.id),
      fields: headerFields,
      pairs: headersFor(known),
      pathParameters: fc.oneof(
        {
          weight: 12,
          arbitrary: fc.record({
            account_id: pathParameter(known.account_id),
            message_id: pathParameter(known.message_id),
          }),
        },
        { weight: 1, arbitrary: fc.constantFrom(null, undefined, {}) },
      ),
      bodyFields,
      requestContext: fc.constantFrom({ requestId: "a-request" }, { requestId: "another" }, {}),
    })
    .map(({ operation, fields, pairs, pathParameters, bodyFields, requestContext }) => {
      const all = Map.groupBy(pairs, ([name]) => name);
      const given = {
        headers: Object.fromEntries(pairs),
        multiValueHeaders: Object.fromEntries(
          [...all].map(([name, lines]) => [name, lines.map(([, value]) => value)]),
        ),
      };
      const event = {
        headers: fields.includes("headers") ? given.headers : null,
        multiValueHeaders: fields.includes("multiValueHeaders") ? given.multiValueHeaders : null,
        pathParameters,
        requestContext,
        ...bodyFields,
      };
      return { operation, event: event as unknown as Partial<APIGatewayProxyEvent> };
    });

test("Any event has a response of the contract", { timeout: 120_000 + requestCount * 100 }, async () => {
  const atOnce = 10;
  const met = new Map<number, number>();

  const holds = async ({ operation, event }: Sent): Promise<void> => {
    const handler = functions.find((one) => one.operation.id === operation)?.handler;
    if (!handler) throw new Error(`There is no ${operation}`);
    const { statusCode, headers, body } = await invoke(handler, event as APIGatewayProxyEvent);
    const bytes = typeof body === "string" ? Buffer.from(body) : await buffer(body);
    met.set(statusCode, (met.get(statusCode) ?? 0) + 1);
    const lowerCased = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    try {
      expectContract(statusCode, lowerCased, decoded(bytes, lowerCased["content-encoding"]));
    } catch (cause) {
      throw new Error(`${operation} ${JSON.stringify(event)} is answered ${statusCode}: ${bytes}`, { cause });
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(sent(), { minLength: atOnce, maxLength: atOnce }), async (all) => {
      await Promise.all(all.map(holds));
    }),
    { seed, numRuns: Math.ceil(requestCount / atOnce), endOnFailure: true },
  );

  // What is behind the first checks has been reached too.
  expect([...met.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 409, 413, 415, 422]));
});
