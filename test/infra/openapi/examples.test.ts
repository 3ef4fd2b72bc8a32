/** Causes each error of the document's examples, and compares the messages. */
import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { openApiDocument } from "../../../infra/openapi/document.ts";
import message from "../../../infra/openapi/examples/delivered-message.json" with { type: "json" };
import { parseEmail } from "../../../lib/email/parse-email.ts";
import { addAccountMember, getMessage, type Operation } from "../../../lib/http/operations.ts";
import { NewMember } from "../../../lib/members/member.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { headKey } from "../../../lib/table/keys.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { exchange } from "../../harness/raw-http.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

/** Statuses and bodies, by the summary of the example. */
type Responses = { [summary: string]: [status: number, body: unknown] };

const { paths, components } = openApiDocument();

const examplesOf = ({ path, method }: Operation): Responses =>
  Object.fromEntries(
    Object.entries(paths[path]?.[method.toLowerCase()]?.responses ?? {}).flatMap(([status, { content }]) =>
      Object.values(content?.["application/json"].examples ?? {}).map(({ summary, value }) => [
        summary,
        [Number(status), value],
      ]),
    ),
  );

/** Returns the examples of all errors but 429, which only API Gateway sends. */
const errorExamplesOf = (operation: Operation): Responses =>
  Object.fromEntries(Object.entries(examplesOf(operation)).filter(([, [status]]) => status >= 400 && status !== 429));

const responsesOf = async (requests: Record<string, Promise<Response>>): Promise<Responses> => {
  const responses: Responses = {};
  for (const [summary, request] of Object.entries(requests)) {
    const response = await request;
    responses[summary] = [response.status, await response.json()];
  }
  return responses;
};

const startFailingService = (name: string): Promise<string> => {
  const error = Object.assign(new Error("Details that no caller may see"), { name });
  return startService(
    undefined,
    interceptedTable(table, () => Promise.reject(error)),
  );
};

test("Get Message responds to each error as in its example", async () => {
  const url = await startService();
  const { account_id, secret } = await newKey();
  const withoutScope = await newKey({ account_id, scopes: ["accounts:members:add"] });
  const huge = newMessage({ account_id });
  await storeMessage(table, huge, Buffer.from("\nHello"), noon);
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: headKey(account_id, huge.id),
      UpdateExpression: "SET content_bytes = :bytes",
      ExpressionAttributeValues: { ":bytes": 200_000_000 },
    }),
  );
  const get = ({ base = url, message = randomUUID() as string, key = secret, query = "" }) =>
    call(`${base}/v2/accounts/${account_id}/messages/${message}${query}`, {
      headers: { ...(key && bearer(key)), "Accept-Encoding": "identity" },
    });

  const responses = await responsesOf({
    "A wrong message_id": get({ message: "latest" }),
    "A wrong fields": get({ query: "?fields=" }),
    "A repeated fields": get({ query: "?fields=status&fields=tags" }),
    "No credentials": get({ key: "" }),
    "No valid key of this account": get({ key: "unknown" }),
    "A missing scope": get({ key: withoutScope.secret }),
    "No such message": get({}),
    "Too large without compression": get({ message: huge.id }),
    "An internal error": get({ base: await startFailingService("Error") }),
    "Temporarily unavailable": get({ base: await startFailingService("ThrottlingException") }),
  });

  expect(responses).toEqual(errorExamplesOf(getMessage));
});

test("Add Account Member responds to each error as in its example", async () => {
  const url = await startService();
  const { account_id, secret } = await newKey();
  const withoutScope = await newKey({ account_id, scopes: ["messages:read:all"] });
  const valid = { email: "ada@example.org", role: "Developer" };
  const post = ({ base = url, key = secret, headers = {}, body = valid as unknown }) =>
    call(`${base}/v2/accounts/${account_id}/members`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key ? bearer(key) : {}), ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const postWithTwoKeys = async () => {
    const head = `POST /v2/accounts/${account_id}/members HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n`;
    const headers = `Authorization: Bearer ${secret}\r\nIdempotency-Key: one\r\nIdempotency-Key: two\r\n\r\n`;
    const response = await exchange(url, head + headers);
    return new Response(response?.body ?? "", { status: response?.status ?? 500 });
  };
  const used = { "Idempotency-Key": "used" };
  await post({ headers: used });

  const responses = await responsesOf({
    "A wrong Idempotency-Key": post({ headers: { "Idempotency-Key": "k".repeat(256) } }),
    "Two Idempotency-Keys": postWithTwoKeys(),
    "Malformed JSON": post({ body: "{" }),
    "JSON with too many levels": post({ body: `${"[".repeat(101)}${"]".repeat(101)}` }),
    "Text that is not Unicode": post({ body: { ...valid, name: "\ud800" } }),
    "Text that is not UTF-8": post({ body: { ...valid, name: "\ufffd" } }),
    "A field that occurs twice": post({ body: '{"role":"Developer","role":"Administrator"}' }),
    "A field __proto__": post({ body: '{"__proto__":{}}' }),
    "A field constructor that contains prototype": post({ body: '{"constructor":{"prototype":{}}}' }),
    "A body that is not an object": post({ body: [] }),
    "A missing or wrong email": post({ body: { role: "Developer" } }),
    "A missing or wrong role": post({ body: { ...valid, role: "Owner" } }),
    "A wrong name": post({ body: { ...valid, name: "" } }),
    "No credentials": post({ key: "" }),
    "No valid key of this account": post({ key: "unknown" }),
    "A missing scope": post({ key: withoutScope.secret }),
    "Already a member": post({}),
    "A body over 64 KiB": post({ body: { ...valid, name: "x".repeat(64 * 1024) } }),
    "Not JSON": post({ headers: { "Content-Type": "text/plain" } }),
    "A compressed body": post({ headers: { "Content-Encoding": "gzip" } }),
    "A key used twice": post({ headers: used, body: { ...valid, role: "Analyst" } }),
    "An internal error": post({ base: await startFailingService("Error") }),
    "Temporarily unavailable": post({ base: await startFailingService("ThrottlingException") }),
  });

  expect(responses).toEqual(errorExamplesOf(addAccountMember));
});

test("The content_parsed of the example message is the parsed content", () => {
  expect(message.content_parsed).toEqual(parseEmail(Buffer.from(message.content)));
});

test("A name has 1 to 255 characters in the code and in the document", () => {
  const isName = (length: number) =>
    NewMember.safeParse({ email: "ada@example.org", role: "Developer", name: "🌍".repeat(length) }).success;

  const accepted = [0, 1, 255, 256].map(isName);

  expect(accepted).toEqual([false, true, true, false]);
  expect(components.schemas.NewMember).toMatchObject({
    properties: { name: { minLength: 1, maxLength: 255 } },
  });
});
