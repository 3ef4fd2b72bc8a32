import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { beforeEach, describe, expect, test } from "vitest";
import { createHandler } from "../../functions/get-message.ts";
import { invoke } from "../../infra/local/lambda.ts";
import type { NewMessage } from "../../lib/messages/new-message.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { sampleEmail } from "../harness/sample-email.ts";
import {
  attempted,
  bearer,
  call,
  clicked,
  newKey,
  newMessage,
  noon,
  opened,
  recordEvent,
  startService,
  status,
  table,
} from "../harness/service.ts";

type Key = Awaited<ReturnType<typeof newKey>>;

let url: string;
let key: Key;
beforeEach(async () => {
  url = await startService();
  key = await newKey();
});

/** Stores a message of the account. */
const stored = async (fields: Partial<NewMessage> = {}, raw: Buffer | null = null) => {
  const message = newMessage({ account_id: key.account_id, ...fields });
  await storeMessage(table, message, raw, noon);
  return message;
};

const get = (message_id: string, headers: Record<string, string> = {}, account_id = key.account_id) =>
  call(`${url}/v2/accounts/${account_id}/messages/${message_id}`, {
    headers: { ...bearer(key.secret), ...headers },
  });

describe("Get Message", () => {
  test("returns every field of the Message object, in the documented order", async () => {
    const raw = await sampleEmail("plain-text");
    const message = newMessage({
      account_id: key.account_id,
      direction: "incoming",
      is_bounce_notification: true,
      message_id: "<abc@mail.example.net>",
      subject: "Grüße",
      tags: ["one", "two"],
      sent_at: new Date(noon - 1000),
      bounce_classification: "mailbox-full",
      reference_message_id: 42n,
    });
    await storeMessage(table, message, raw, noon);
    await recordEvent(message, attempted(noon - 500, "250 Ok", "delivered"), noon + 1);
    const delivered_at = new Date(noon - 500).toISOString();
    await recordEvent(message, status("delivered", delivered_at, { delivered_at }), noon + 2);
    await recordEvent(message, opened, noon + 3);
    await recordEvent(message, opened, noon + 4);
    await recordEvent(message, clicked, noon + 5);

    const response = await get(message.id);

    expect(response.status).toBe(200);
    const { content_parsed, ...fields } = (await response.json()) as Record<string, unknown>;
    expect(Object.entries(fields)).toEqual(
      Object.entries({
        object: "message",
        created_at: "2096-11-20T12:00:00.000Z",
        updated_at: "2096-11-20T12:00:00.005Z",
        retain_until: "2096-12-20T12:00:00.000Z",
        direction: "incoming",
        is_bounce_notification: true,
        delivery_attempts: [{ time: "2096-11-20T11:59:59.500Z", log: "250 Ok", status: "delivered" }],
        message_id: "<abc@mail.example.net>",
        id: message.id,
        subject: "Grüße",
        tags: ["one", "two"],
        sender: "hello@example.com",
        recipient: "ada@example.org",
        status: "delivered",
        num_attempts: 1,
        click_count: 1,
        open_count: 2,
        domain_id: message.domain_id,
        account_id: key.account_id,
        sent_at: "2096-11-20T11:59:59.000Z",
        delivered_at: "2096-11-20T11:59:59.500Z",
        bounce_classification: "mailbox-full",
        reference_message_id: 42,
        content: raw.toString(),
      }),
    );
    expect(content_parsed).toMatchObject({ parts: [{ content_type: "text/plain" }], attachments: [] });
  });

  test("omits the fields of bounces, and returns null for times that have not come", async () => {
    const message = await stored();

    const body = (await (await get(message.id)).json()) as Record<string, unknown>;

    expect(body).not.toHaveProperty("bounce_classification");
    expect(body).not.toHaveProperty("reference_message_id");
    expect(body).toMatchObject({ sent_at: null, delivered_at: null, content: null, content_parsed: null });
  });

  test("returns delivery attempts oldest first, in whatever order they were recorded", async () => {
    const message = await stored();
    await recordEvent(message, attempted(noon + 2000));
    await recordEvent(message, attempted(noon + 1000));
    await recordEvent(message, attempted(noon + 3000));

    const body = (await (await get(message.id)).json()) as { delivery_attempts: { time: string }[] };

    expect(body.delivery_attempts.map(({ time }) => time)).toEqual([
      "2096-11-20T12:00:01.000Z",
      "2096-11-20T12:00:02.000Z",
      "2096-11-20T12:00:03.000Z",
    ]);
    expect(body).toMatchObject({ num_attempts: 3 });
  });

  test.each([9007199254740993n, 9223372036854775807n, -9223372036854775808n, 0n])(
    "returns every digit of reference_message_id %s",
    async (reference_message_id) => {
      const message = await stored({ reference_message_id });

      const text = await (await get(message.id)).text();

      expect(text).toContain(`"reference_message_id":${reference_message_id},`);
    },
  );

  test("accepts identifiers in any case, and returns them in lower case", async () => {
    const message = newMessage({ account_id: key.account_id, domain_id: randomUUID().toUpperCase() });
    await storeMessage(table, { ...message, id: message.id.toUpperCase() }, null, noon);

    const response = await get(message.id.toUpperCase(), {}, key.account_id.toUpperCase());

    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: message.id,
      account_id: key.account_id,
      domain_id: message.domain_id.toLowerCase(),
    });
  });

  test("returns content and null for content_parsed if the email exceeds the limits of the parser", async () => {
    const bomb = Buffer.from(
      Array.from({ length: 5000 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join(
        "",
      ),
    );
    const message = await stored({}, bomb);

    const body = await (await get(message.id)).json();

    expect(body).toMatchObject({ content: bomb.toString(), content_parsed: null });
  });

  test("ignores an Idempotency-Key, even an invalid one", async () => {
    const message = await stored();

    const response = await get(message.id, { "Idempotency-Key": "k".repeat(256) });

    expect(response.status).toBe(200);
  });

  test.each([
    ["API Gateway's extendedRequestId", { extendedRequestId: "JwPuW=", requestId: "chosen-by-a-caller" }, "JwPuW="],
    ["API Gateway's requestId if there is no other", { requestId: "a-request" }, "a-request"],
    ["Lambda's request id if API Gateway has none", undefined, expect.stringMatching(/^[\da-f-]{36}$/)],
  ])("has as X-Request-Id %s", async (_, requestContext, requestId) => {
    const event = { headers: bearer(key.secret), pathParameters: null, requestContext };

    const { headers } = await invoke(
      createHandler(table, () => noon),
      event as unknown as APIGatewayProxyEvent,
    );

    expect(headers["X-Request-Id"]).toEqual(requestId);
  });
});

describe("A message is not found: 404", () => {
  const notFound = { message: "Message not found" };

  test("when another account has the message", async () => {
    const message = await stored({ account_id: randomUUID() });

    const response = await get(message.id);

    expect(response.status).toBe(404);
    expect(await response.json()).toEqual(notFound);
  });

  test("from the moment retain_until is reached, even if TTL has not deleted the item", async () => {
    let now = noon;
    url = await startService(() => now);
    const message = await stored({ retain_until: "2096-11-20T12:00:10.000Z" });

    now = Date.parse("2096-11-20T12:00:09.999Z");
    const before = await get(message.id);
    now = Date.parse("2096-11-20T12:00:10.000Z");
    const queries = ["", "?fields=status", "?fields=delivery_attempts", "?fields=content"];
    const after = await Promise.all(queries.map((query) => get(`${message.id}${query}`)));

    expect(before.status).toBe(200);
    expect(after.map(({ status }) => status)).toEqual(queries.map(() => 404));
    expect(await after[0]?.json()).toEqual(notFound);
  });
});

test.each(["00000000-0000-0000-0000-000000000000", "6ba7b810-9dad-01d1-00b4-00c04fd430c8"])(
  "A UUID may have any version and variant: %s",
  async (id) => {
    expect((await get(id)).status).toBe(404);
  },
);

describe("A path identifier that is not a UUID: 400", () => {
  test.each([
    ["message_id", "not-a-uuid"],
    ["message_id", "123e4567-e89b-12d3-a456-42661417400"],
    ["message_id", "%F0%9F%93%A7"],
    ["message_id", "%zz"],
  ])("is rejected, and %s is named (%s)", async (name, id) => {
    const response = await get(id);

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ message: `${name} must be a UUID` });
  });
});
