/** Events that API Gateway or the Lambda console may send, but no request over the local gateway's sockets. */
import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { createHandler as addAccountMember } from "../../../functions/add-account-member.ts";
import { createHandler as getMessage } from "../../../functions/get-message.ts";
import { invoke } from "../../../infra/local/lambda.ts";
import { operations } from "../../../lib/http/operations.ts";
import { decoded, expectContract } from "../../harness/any-response.ts";
import { bearer, newKey, noon, table } from "../../harness/service.ts";

/** Returns every combination of one value of each field. */
const combinations = (fields: Record<string, readonly unknown[]>): object[] =>
  Object.entries(fields).reduce<object[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );

test.each(operations)("Every shape of an event for $id has a response of the contract", async (operation) => {
  const { createHandler } = await import(new URL(`../../../${operation.file}`, import.meta.url).href);
  const handler = createHandler(table, () => noon);
  const { account_id, secret } = await newKey();
  const headers = { ...bearer(secret), "Content-Type": "application/json" };
  const lines = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const examples = Object.entries(operation.pathParameters).map(([name, { example }]) => [name, example]);
  const path = { ...Object.fromEntries(examples), account_id };
  const body = JSON.stringify({ email: "ada@example.org", role: "Developer" });
  const events = combinations({
    headers: [headers, null],
    multiValueHeaders: [lines, null],
    pathParameters: [path, { account_id }, { ...path, account_id: "\ud800" }, { account_id: "" }, {}, null, undefined],
    body: [body, Buffer.from(body).toString("base64"), "", null, JSON.parse(body), [], 7],
    isBase64Encoded: [false, true],
    requestContext: [{ requestId: "a-request" }, { extendedRequestId: "another" }, undefined],
  });
  const statuses = new Set<number>();

  for (const event of events) {
    const response = await invoke(handler, structuredClone(event) as APIGatewayProxyEvent);
    const bytes = typeof response.body === "string" ? Buffer.from(response.body) : await buffer(response.body);
    const received = Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const { "content-encoding": coding, ...others } = Object.fromEntries(received);
    expectContract(response.statusCode, others, decoded(bytes, coding));
    statuses.add(response.statusCode);
  }

  expect([...statuses]).toEqual(expect.arrayContaining([400, 401]));
  expect([...statuses].some((status) => status < 300 || [404, 409].includes(status))).toBe(true);
});

const json = "application/json";
const member = JSON.stringify({ email: "ada@example.org", role: "Developer" });
const base64 = Buffer.from(member).toString("base64");

test.each<[string, { multiValueHeaders?: object; body: unknown; isBase64Encoded?: boolean }, number]>([
  ["a text", { body: member }, 201],
  ["base64", { body: base64, isBase64Encoded: true }, 201],
  ["base64 that is declared as text", { body: base64 }, 400],
  ["the object of a test event", { body: JSON.parse(member) }, 201],
  ["a media type that occurs twice", { body: member, multiValueHeaders: { "Content-Type": [json, json] } }, 201],
  ["two media types", { body: member, multiValueHeaders: { "Content-Type": [json, "text/plain"] } }, 415],
  ["a coding", { body: member, multiValueHeaders: { "Content-Type": [json], "Content-Encoding": ["gzip"] } }, 415],
])(
  "A body with %s has the response that it would have over HTTP",
  async (_, { multiValueHeaders, ...fields }, status) => {
    const { account_id, secret } = await newKey();
    const headers = { ...bearer(secret), "Content-Type": json };
    const lines = multiValueHeaders && { Authorization: [`Bearer ${secret}`], ...multiValueHeaders };
    const event = { headers, multiValueHeaders: lines, pathParameters: { account_id }, ...fields };

    const { statusCode } = await invoke(
      addAccountMember(table, () => noon),
      event as unknown as APIGatewayProxyEvent,
    );

    expect(statusCode).toBe(status);
  },
);

test.each([
  { queryStringParameters: { fields: "x" } },
  { queryStringParameters: { fields: "x" }, multiValueQueryStringParameters: null },
  { multiValueQueryStringParameters: { fields: ["x"] } },
])("A query parameter is read wherever the event has it (%j)", async (query) => {
  const { account_id, secret } = await newKey();
  const event = { headers: bearer(secret), pathParameters: { account_id, message_id: randomUUID() }, ...query };

  const { statusCode } = await invoke(
    getMessage(table, () => noon),
    event as unknown as APIGatewayProxyEvent,
  );

  expect(statusCode).toBe(400);
});
