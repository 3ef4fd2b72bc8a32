/** The document's examples are what the service says: each error is brought about, and its words compared. */
import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { openApiDocument } from "../../../infra/openapi/document.ts";
import { tooManyRequests } from "../../../lib/api/error-catalogue.ts";
import { addAccountMember, getMessage, type Operation } from "../../../lib/api/operations.ts";
import { NewMember } from "../../../lib/members/member.ts";
import type { Message } from "../../../lib/messages/message.ts";
import { parseEmail } from "../../../lib/messages/mime.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import { headKey } from "../../../lib/table/keys.ts";
import type { Table } from "../../../lib/table/table.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

type Bodies = { [status: string]: { [summary: string]: unknown } };
type Content = { "application/json": { examples: Record<string, { summary: string; value: unknown }> } };

const { paths, components } = openApiDocument();

const examplesOf = ({ path, method }: Operation): Bodies => {
  const responses: Record<string, { content: Content }> =
    paths[path]?.[method.toLowerCase()]?.responses ?? {};
  return Object.fromEntries(
    Object.entries(responses).map(([status, { content }]) => [
      status,
      Object.fromEntries(
        Object.values(content["application/json"].examples).map(({ summary, value }) => [summary, value]),
      ),
    ]),
  );
};

const errorExamplesOf = (operation: Operation): Bodies => {
  const { 200: _found, 201: _added, 429: _byGateway, ...errors } = examplesOf(operation);
  return errors;
};

/** What was answered, in the shape of {@link examplesOf}. */
const answersOf = async (requests: Record<string, Promise<Response>>): Promise<Bodies> => {
  const bodies: Bodies = {};
  for (const [summary, request] of Object.entries(requests)) {
    const response = await request;
    bodies[response.status] = { ...bodies[response.status], [summary]: await response.json() };
  }
  return bodies;
};

const startServiceThatFailsWith = (error: Error): Promise<string> => {
  const failing = { name: table.name, client: { send: () => Promise.reject(error) } };
  return startService(undefined, failing as unknown as Table);
};

const fault = new Error("A fault that the caller must not hear of");
const throttling = Object.assign(new Error(), { name: "ThrottlingException" });

test("Get Message answers each error as its example says", async () => {
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
  const get = ({ base = url, account = account_id, message = randomUUID() as string, key = secret }) =>
    call(`${base}/v2/accounts/${account}/messages/${message}`, {
      headers: { ...(key && bearer(key)), "Accept-Encoding": "identity" },
    });

  const answers = await answersOf({
    "An account_id that is no UUID": get({ account: "mine" }),
    "A message_id that is no UUID": get({ message: "latest" }),
    "No credentials": get({ key: "" }),
    "No valid key of this account": get({ key: "unknown" }),
    "A scope is missing": get({ key: withoutScope.secret }),
    "No such message": get({}),
    "Too large without compression": get({ message: huge.id }),
    "Our fault": get({ base: await startServiceThatFailsWith(fault) }),
    "Temporarily unavailable": get({ base: await startServiceThatFailsWith(throttling) }),
  });

  expect(answers).toEqual(errorExamplesOf(getMessage));
});

test("Add Account Member answers each error as its example says", async () => {
  const url = await startService();
  const { account_id, secret } = await newKey();
  const withoutScope = await newKey({ account_id, scopes: ["messages:read:all"] });
  const valid = { email: "ada@example.org", role: "Developer" };
  const post = ({ base = url, account = account_id, key = secret, headers = {}, body = valid as unknown }) =>
    call(`${base}/v2/accounts/${account}/members`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key ? bearer(key) : {}), ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const used = { "Idempotency-Key": "used" };
  await post({ headers: used });

  const answers = await answersOf({
    "An account_id that is no UUID": post({ account: "mine" }),
    "A wrong Idempotency-Key": post({ headers: { "Idempotency-Key": "k".repeat(256) } }),
    "Malformed JSON": post({ body: "{" }),
    "JSON nested too deep": post({ body: `${"[".repeat(101)}${"]".repeat(101)}` }),
    "Text that is no Unicode": post({ body: { ...valid, name: "\ud800" } }),
    "A field __proto__": post({ body: '{"__proto__":{}}' }),
    "A field constructor that holds prototype": post({ body: '{"constructor":{"prototype":{}}}' }),
    "A body that is no object": post({ body: [] }),
    "A missing or wrong email": post({ body: { role: "Developer" } }),
    "A missing or wrong role": post({ body: { ...valid, role: "Owner" } }),
    "A wrong name": post({ body: { ...valid, name: "" } }),
    "No credentials": post({ key: "" }),
    "No valid key of this account": post({ key: "unknown" }),
    "A scope is missing": post({ key: withoutScope.secret }),
    "A member already": post({}),
    "A body over 64 KiB": post({ body: { ...valid, name: "x".repeat(64 * 1024) } }),
    "Not JSON": post({ headers: { "Content-Type": "text/plain" } }),
    "A key used twice": post({ headers: used, body: { ...valid, role: "Analyst" } }),
    "Our fault": post({ base: await startServiceThatFailsWith(fault) }),
    "Temporarily unavailable": post({ base: await startServiceThatFailsWith(throttling) }),
  });

  expect(answers).toEqual(errorExamplesOf(addAccountMember));
});

test.each([getMessage, addAccountMember])("$id is throttled in API Gateway's words", (operation) => {
  expect(examplesOf(operation)[429]).toEqual({
    "Rate exceeded": { message: tooManyRequests.message },
  });
});

test("The message shown has the content_parsed that its content has", () => {
  const shown = examplesOf(getMessage)[200]?.["An email that was delivered, opened and clicked"] as Message;

  expect(shown.content_parsed).toEqual(parseEmail(Buffer.from(shown.content ?? "")));
});

test("A name has 1 to 255 characters, here and in the document", () => {
  const isName = (length: number) =>
    NewMember.safeParse({ email: "ada@example.org", role: "Developer", name: "🌍".repeat(length) }).success;

  const accepted = [0, 1, 255, 256].map(isName);

  expect(accepted).toEqual([false, true, true, false]);
  expect(components.schemas.NewMember?.properties.name).toMatchObject({ minLength: 1, maxLength: 255 });
});
