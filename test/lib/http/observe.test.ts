import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createHandler } from "../../../functions/get-message.ts";
import { invoke } from "../../../infra/local/lambda.ts";
import { storeMessage } from "../../../lib/messages/write/store-message.ts";
import { type CapturedOutput, captureOutput } from "../../harness/captured-output.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { randomEmail } from "../../harness/sample-email.ts";
import { bearer, call, loseSegment, newKey, newMessage, noon, startService, table } from "../../harness/service.ts";

type Key = Awaited<ReturnType<typeof newKey>>;

let output: CapturedOutput;
let url: string;
let key: Key;
beforeEach(async () => {
  output = captureOutput();
  url = await startService();
  key = await newKey();
});

const metrics = () => output.lines().filter(({ _aws }) => _aws);

const add = (body: object | string, headers: Record<string, string> = {}) =>
  call(`${url}/v2/accounts/${key.account_id}/members`, {
    method: "POST",
    headers: { ...bearer(key.secret), "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const get = (id: string, headers = bearer(key.secret)) =>
  call(`${url}/v2/accounts/${key.account_id}/messages/${id}`, { headers });

const failing = (command: string, error: Error) =>
  interceptedTable(table, ({ constructor: { name } }, proceed) => {
    if (name === command) throw error;
    return proceed();
  });

const newMember = () => ({ email: `${randomUUID()}@example.com`, role: "Developer" });

const runbook = readFileSync(new URL("../../../infra/admin/README.md", import.meta.url), "utf8");

describe("The request log", () => {
  test("has every field that the runbook's queries of requests name", async () => {
    const queries = runbook.match(/^(filter|stats) .*$/gm) ?? [];
    const ofRequests = queries.filter((query) => /key_id|account_id|consumed_capacity/.test(query)).join(" ");
    const words = ofRequests.replace(/"[^"]*"/g, "").match(/[a-z_]+/gi);
    const known = /^(filter|stats|count|sum|pct|p|as|by|sort|desc|bin|h|m|requests|ms|units|dollars)$/;
    const fields = new Set(words?.filter((word) => !known.test(word)));

    await (await get(randomUUID())).text();

    const [line = {}] = await output.requests();
    expect(fields.size).toBeGreaterThan(5);
    expect([...fields].filter((field) => !(field in line))).toEqual([]);
  });

  test("has one line with the caller, the operation, the status, the duration and the consumed capacity", async () => {
    const message = newMessage({ account_id: key.account_id });
    await storeMessage(table, message, Buffer.from("Subject: x\r\n\r\nx"), noon);

    await (await get(message.id)).text();

    const [line, ...others] = await output.requests();
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      level: "INFO",
      service: "GetMessage",
      operation: "GetMessage",
      account_id: key.account_id,
      message_uuid: message.id,
      key_id: key.id,
      status: 200,
      request_id: expect.any(String),
      gateway_request_id: expect.any(String),
      function_request_id: expect.any(String),
      duration_ms: expect.any(Number),
      consumed_capacity: 1.5,
    });
  });

  test("has the duration in milliseconds, to two decimals", async () => {
    let seconds = 1000;
    vi.spyOn(process, "uptime").mockImplementation(() => seconds);
    const slow = interceptedTable(table, ({ constructor: { name } }, proceed) => {
      if (name === "GetCommand") seconds += 1.23456;
      return proceed();
    });
    url = await startService(undefined, slow);

    await (await get(randomUUID())).text();

    expect(await output.requests()).toMatchObject([{ duration_ms: 1234.56 }]);
  });

  test("has both ids of API Gateway, of which the caller may have chosen one, and the fields that were asked for", async () => {
    const requestContext = { extendedRequestId: "JwPuW=", requestId: "chosen-by-a-caller" };
    const event = {
      headers: bearer(key.secret),
      pathParameters: { account_id: key.account_id, message_id: randomUUID() },
      queryStringParameters: { fields: "status,tags" },
      requestContext,
    };

    await invoke(
      createHandler(table, () => noon),
      event as unknown as APIGatewayProxyEvent,
    );

    expect(await output.requests()).toMatchObject([
      { request_id: "JwPuW=", gateway_request_id: "chosen-by-a-caller", query: { fields: ["status", "tags"] } },
    ]);
  });

  test("counts the capacity of every call: three reads, and a transaction of three items", async () => {
    await add(newMember(), { "Idempotency-Key": randomUUID() });

    const strongRead = 1;
    const eventualReads = 2 * 0.5;
    const writes = [3 * 2 + 1, 2, 3]; // With the index, DynamoDB counts 7, and DynamoDB Local 2 or 3.
    const [{ consumed_capacity }] = await output.requests();
    expect(consumed_capacity).toBeOneOf(writes.map((units) => strongRead + eventualReads + units));
  });

  test("waits for the reads of a rejected request, but the response doesn't", async () => {
    const responded = Promise.withResolvers<void>();
    const slow = interceptedTable(table, async ({ constructor: { name } }, proceed) => {
      if (name === "QueryCommand") await responded.promise;
      return proceed();
    });
    url = await startService(undefined, slow);

    await (await get(randomUUID(), bearer("emk_unknown"))).text();
    responded.resolve();

    expect((await output.requests())[0]).toMatchObject({ status: 401, consumed_capacity: 1.5 });
  });

  test("has a line for a rejected request, without the account of a caller who is not authenticated", async () => {
    await get(randomUUID(), bearer("emk_unknown"));

    const [line] = await output.requests();
    expect(line).toMatchObject({ level: "INFO", operation: "GetMessage", status: 401 });
    expect(line).not.toHaveProperty("account_id");
    expect(line).not.toHaveProperty("key_id");
  });

  test("has the cause of a server error, which the response does not contain", async () => {
    const error = Object.assign(new Error("the reason"), { name: "AccessDeniedException" });
    url = await startService(undefined, failing("GetCommand", error));

    await get(randomUUID());

    expect((await output.requests())[0]).toMatchObject({
      level: "ERROR",
      status: 500,
      error: {
        name: "AccessDeniedException",
        message: "the reason",
        stack: expect.stringContaining("the reason"),
      },
    });
  });
});

test.each(["identity", "zstd", "gzip"])(
  "A caller who leaves before the end of a response is no server error: %s",
  async (coding) => {
    const message = newMessage({ account_id: key.account_id });
    await storeMessage(table, message, randomEmail(3_000_000), noon);
    const leaving = new AbortController();
    const response = await fetch(`${url}/v2/accounts/${key.account_id}/messages/${message.id}`, {
      headers: { ...bearer(key.secret), "Accept-Encoding": coding },
      signal: leaving.signal,
    });

    leaving.abort();
    await expect(response.arrayBuffer()).rejects.toThrow();

    expect(await output.requests()).toMatchObject([{ level: "INFO", status: 200 }]);
    expect(metrics().filter((line) => "ServerError" in line)).toEqual([]);
  },
);

describe("The metrics of an operation count", () => {
  const counts = () =>
    metrics().map(({ _aws, service, ...values }) => ({
      namespace: _aws.CloudWatchMetrics[0].Namespace,
      dimensions: _aws.CloudWatchMetrics[0].Dimensions,
      service,
      ...values,
    }));
  const count = (name: string) => ({
    namespace: "EmailApi/test",
    dimensions: [["service"]],
    service: "AddAccountMember",
    [name]: 1,
  });

  test("a cold start, once", async () => {
    await add(newMember());
    await add(newMember());

    await output.requests(2);
    expect(counts()).toEqual([count("ColdStart")]);
  });

  test("a replay and a payload mismatch", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const body = newMember();

    await add(body, headers);
    await add(body, headers);
    await add({ ...body, role: "Analyst" }, headers);

    await output.requests(3);
    expect(counts()).toEqual([count("ColdStart"), count("Replay"), count("PayloadMismatch")]);
  });

  test("a server error", async () => {
    const error = Object.assign(new Error("slow down"), { name: "ThrottlingException" });
    url = await startService(undefined, failing("GetCommand", error));

    await add(newMember());

    await output.requests();
    expect(counts()).toEqual([count("ColdStart"), count("ServerError")]);
  });
});

test("The line of a throttled request names the limit that it has met: a key range, or the account's quota", async () => {
  const limit = (reason: string) => ({ ThrottlingReasons: [{ reason, resource: "arn:aws:dynamodb:table" }] });
  const read = Object.assign(new Error(), { name: "ThrottlingException" }, limit("TableReadAccountLimitExceeded"));
  const write = new TransactionCanceledException({
    $metadata: {},
    message: "cancelled",
    CancellationReasons: [
      { Code: "None" },
      { Code: "ThrottlingError", Message: "Throughput exceeds the current capacity" },
    ],
  });

  for (const [call, error] of [
    ["GetCommand", read],
    ["TransactWriteCommand", write],
  ] as const) {
    url = await startService(undefined, failing(call, error));
    await add(newMember());
  }

  const lines = await output.requests(2);
  expect(lines.map(({ error }) => error?.throttling_reasons)).toEqual([
    ["TableReadAccountLimitExceeded"],
    ["ThrottlingError Throughput exceeds the current capacity"],
  ]);
});

test("No log line contains a key, an address, a subject or content", async () => {
  const secret = (what: string) => `secret-${what}-${randomUUID()}`;
  const secrets = {
    name: secret("name"),
    idempotencyKey: secret("idempotency-key"),
    subject: secret("subject"),
    content: secret("content"),
    unknownKey: `emk_${secret("unknown")}`,
    malformed: secret("malformed"),
    key: key.secret,
  };
  const email = `${secret("email")}@example.com`;
  const member = { email, role: "Developer", name: secrets.name };
  const use = { "Idempotency-Key": secrets.idempotencyKey };
  const fields = { account_id: key.account_id, sender: email, recipient: email, subject: secrets.subject };
  const message = newMessage(fields);
  const raw = Buffer.from(`Subject: ${secrets.subject}\r\n\r\n${secrets.content}`);
  await storeMessage(table, message, raw, noon);
  const broken = newMessage(fields);
  await storeMessage(table, broken, Buffer.concat([raw, randomEmail(900_000)]), noon);
  await loseSegment(broken, 2);
  const confined = await newKey({ account_id: key.account_id, scopes: ["messages:read:{example.net}"] });

  const statuses: number[] = [];
  const settle = async (response: Promise<Response>) => {
    const settled = await response;
    statuses.push(settled.status);
    await settled.text().catch(() => {});
  };
  await settle(add(member, use));
  await settle(add(member, use));
  await settle(add(member));
  await settle(add({ ...member, role: "Analyst" }, use));
  await settle(add({ ...member, role: secrets.name }));
  await settle(add(`{"email":"${email}"`));
  await settle(add(secrets.content.repeat(2000)));
  await settle(add(member, { "Content-Type": "text/plain" }));
  await settle(add(member, { "Idempotency-Key": secrets.idempotencyKey.repeat(9) }));
  await settle(get(message.id));
  await settle(get(broken.id));
  await settle(get(secrets.content));
  await settle(get(randomUUID()));
  await settle(get(message.id, bearer(confined.secret)));
  await settle(get(message.id, bearer(secrets.unknownKey)));
  await settle(get(message.id, { Authorization: `${secrets.malformed}` }));
  const item = { pk: { S: `USER#${email}` }, email: { S: email }, subject: { S: secrets.subject } };
  for (const name of ["TransactionCanceledException", "ThrottlingException"]) {
    const CancellationReasons = [{ Code: "ValidationError", Item: item }];
    const error = Object.assign(new Error("rejected"), {
      name,
      CancellationReasons,
      Item: item,
      input: member,
    });
    url = await startService(undefined, failing("TransactWriteCommand", error));
    await settle(add(member));
  }

  expect(statuses).toEqual([201, 201, 409, 422, 400, 400, 413, 415, 400, 200, 200, 400, 404, 403, 401, 401, 500, 503]);
  const requests = await output.requests(statuses.length);
  expect(requests.filter(({ level }) => level === "ERROR")).toHaveLength(3);
  for (const [what, value] of Object.entries({ ...secrets, email, confined: confined.secret })) {
    expect(output.text(), what).not.toContain(value);
    expect(output.text(), what).not.toContain(Buffer.from(value).toString("base64").slice(0, -4));
  }
});
