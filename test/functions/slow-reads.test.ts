/** DynamoDB and S3 that send a byte now and then, which no socket's timeout notices. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { expect, onTestFinished, test, vi } from "vitest";
import { invoke, type LambdaHandler } from "../../infra/local/lambda.ts";
import { openEmailBucket } from "../../lib/events/email-bucket.ts";
import { type Operation, operations } from "../../lib/http/operations.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { openTable } from "../../lib/table/table.ts";
import { captureOutput } from "../harness/captured-output.ts";
import { drip, startFaultyEngine, startFaultyService } from "../harness/faulty-engine.ts";
import { listen } from "../harness/listen.ts";
import { pipelineMessage } from "../harness/pipeline.ts";
import { randomEmail } from "../harness/sample-email.ts";
import { bearer, newKey, newMessage, noon, table } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";

const { account_id, secret } = await newKey();

/** The signals that end calls come twenty times as early. */
const hurry = () => {
  const timeoutAfter = AbortSignal.timeout;
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeoutAfter(Math.ceil(ms / 20)));
  onTestFinished(() => timeout.mockRestore());
};

/** The status of an operation on a table that drips, if its function ends after three seconds. */
const statusOf = async ({ file }: Operation): Promise<number> => {
  const { createHandler } = await import(new URL(`../../${file}`, import.meta.url).href);
  const engine = await startFaultyEngine();
  engine.failWith(() => "drips");
  const handler: LambdaHandler = createHandler(engine.table, () => noon);
  const event = {
    headers: { ...bearer(secret), "Content-Type": "application/json" },
    pathParameters: { account_id, message_id: randomUUID() },
    body: '{"email":"ada@example.org","role":"Developer"}',
  } as unknown as APIGatewayProxyEvent;

  const { statusCode, body } = await invoke(handler, event, { timeoutMilliseconds: 3000 });

  if (typeof body !== "string") body.resume();
  return statusCode;
};

test("Every operation responds with 503 before the function's timeout if DynamoDB drips", async () => {
  const statuses = await Promise.all(operations.map(statusOf));

  expect(statuses).toEqual(operations.map(() => 503));
});

test("Get Message responds with 503 after a while, although its function has five minutes, if DynamoDB drips", async () => {
  hurry();
  const { engine, url } = await startFaultyService();
  engine.failWith(() => "drips");

  const response = await fetch(`${url}/v2/accounts/${account_id}/messages/${randomUUID()}`, {
    headers: bearer(secret),
  });

  expect(response.status).toBe(503);
});

test("A stream that gets no page for a minute ends as incomplete JSON", async () => {
  const large = newMessage({ account_id });
  await storeMessage(table, large, randomEmail(3_000_000), noon);
  hurry();
  const { engine, url } = await startFaultyService();
  let queries = 0;
  engine.failWith((operation) => (operation === "Query" && ++queries > 2 ? "drips" : undefined));

  const response = await fetch(`${url}/v2/accounts/${account_id}/messages/${large.id}`, { headers: bearer(secret) });

  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});

const inQueue = (...bodies: string[]) => bodies.map((body, index) => ({ messageId: `sqs-${index}`, body }));

test("An email that S3 sends byte by byte fails alone, and the other events of its batch are recorded", async () => {
  const s3 = createServer((request, response) => {
    response.setHeader("Content-Length", 1000);
    if (request.url?.includes("slow")) drip(response, Buffer.alloc(1000));
    else response.end(Buffer.alloc(1000, "a"));
  });
  vi.stubEnv("AWS_ENDPOINT_URL_S3", `http://127.0.0.1:${await listen(s3)}`);
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
  const { createHandler } = await import("../../functions/record-events.ts");
  const [slow, other] = [await pipelineMessage(), await pipelineMessage()];
  const output = captureOutput();
  hurry();
  const handler = createHandler(
    openTable({ canWait: true }),
    openEmailBucket(),
    () => noon,
    async () => {},
  );

  const failed = await deliver(
    handler,
    inQueue(slow.stored("slow"), other.stored("other"), other.event("message.opened")),
  );

  expect(failed).toEqual(["sqs-0"]);
  expect(AbortSignal.timeout).toHaveBeenCalledWith(10_000);
  const [line] = output.lines().filter(({ message }) => message === "event");
  expect(line).toMatchObject({ outcome: "failed", error: { name: "TimeoutError", message: "S3 was too slow" } });
  expect(await (await other.get()).json()).toMatchObject({ open_count: 1, content: "a".repeat(1000) });
});

test("A batch ends before the function's timeout if DynamoDB drips", async () => {
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
  vi.stubEnv("EMAIL_BUCKET", "emails");
  const { createHandler } = await import("../../functions/record-events.ts");
  const engine = await startFaultyEngine();
  engine.failWith(() => "drips");
  const handler = createHandler(
    engine.table,
    undefined,
    () => noon,
    async () => {},
  );
  const { stored, event } = await pipelineMessage();

  const failed = await deliver(handler, inQueue(stored(null), event("message.opened")), () => 17_000);

  expect(failed).toEqual(["sqs-0", "sqs-1"]);
});
