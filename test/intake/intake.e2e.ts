/** From S3 and SQS to Get Message: the bundled function, and a queue that is polled as Lambda does. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSHandler } from "aws-lambda";
import { expect, inject, onTestFinished, test } from "vitest";
import { bundle, bundleFile } from "../../infra/bundling.ts";
import { bearer, call, day, newKey, newMessage, startService } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";

const bucket = "emails";
Object.assign(process.env, {
  AWS_ENDPOINT_URL_S3: inject("motoUrl"),
  AWS_ENDPOINT_URL_SQS: inject("motoUrl"),
  AWS_REGION: "eu-west-1",
  EMAIL_BUCKET: bucket,
});
const s3 = new S3Client();
const sqs = new SQSClient();

const loadFunction = (): SQSHandler => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  bundle("functions/record-events.ts", folder);
  return createRequire(import.meta.url)(join(folder, bundleFile)).handler;
};

const createQueue = async (name: string, attributes: Record<string, string> = {}): Promise<string> => {
  const QueueName = `${name}-${randomUUID()}`;
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  return QueueUrl;
};

/** As the stack's, but that a try that fails is repeated after a second. */
const createQueues = async () => {
  const deadLetters = await createQueue("dead-letters");
  const AttributeNames = ["QueueArn" as const];
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames }),
  );
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 5 });
  const events = await createQueue("events", { VisibilityTimeout: "1", RedrivePolicy });
  return { events, deadLetters };
};

const receive = async (QueueUrl: string) => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ["ApproximateReceiveCount"],
    }),
  );
  return Messages.map(({ MessageId = "", Body = "", ReceiptHandle = "", Attributes }) => ({
    messageId: MessageId,
    body: Body,
    receipt: ReceiptHandle,
    receiveCount: Number(Attributes?.ApproximateReceiveCount),
  }));
};

const countOf = async (QueueUrl: string): Promise<number> => {
  const AttributeNames = [
    "ApproximateNumberOfMessages" as const,
    "ApproximateNumberOfMessagesNotVisible" as const,
  ];
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
};

/** Lambda's poller: it deletes what the function does not report, and leaves the rest to come again. */
const pollUntilEmpty = async (queue: string, handler: SQSHandler): Promise<number> => {
  let highestCount = 0;
  while ((await countOf(queue)) > 0) {
    const messages = await receive(queue);
    const failed = messages.length > 0 ? await deliver(handler, messages) : [];
    for (const { messageId, receipt, receiveCount } of messages) {
      highestCount = Math.max(highestCount, receiveCount);
      if (failed.includes(messageId)) continue;
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle: receipt }));
    }
    if (messages.length === 0) await sleep(100);
  }
  return highestCount;
};

test("An email in the bucket and events in the queue are a message that Get Message returns", async () => {
  const handler = loadFunction();
  await s3.send(
    new CreateBucketCommand({
      Bucket: bucket,
      CreateBucketConfiguration: { LocationConstraint: "eu-west-1" },
    }),
  );
  const { events, deadLetters } = await createQueues();
  const { account_id, secret } = await newKey();
  const { account_id: _, ...message } = newMessage({ account_id, retain_until: new Date(Date.now() + day) });
  const event = (type: string, id: string, more: object = {}) =>
    JSON.stringify({ type, id, account_id, message: { id: message.id }, ...more });
  const stored = (id: string, raw_email: string) =>
    JSON.stringify({ type: "message.stored", id, account_id, message, raw_email });
  const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl: events, MessageBody }));
  const time = "2026-11-20T12:00:00.000Z";

  // Ahead of the message: the first batch fails, and comes again.
  await send(event("message.opened", "open 1"));
  const [early] = await receive(events);
  const failed = await deliver(handler, early ? [early] : []);
  const raw = Buffer.concat([
    Buffer.from("Subject: Grüße\r\n\r\n"),
    Buffer.alloc(3_000_000, "0123456789\r\n"),
  ]);
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: "2026/grüße 1.eml", Body: raw }));
  const bad = [
    event("message.opened", ""),
    stored("lost", "no-such.eml").replace(message.id, randomUUID()),
    "{",
  ];
  for (const body of [
    ...bad,
    stored("stored", "2026/grüße 1.eml"),
    stored("stored", "2026/grüße 1.eml"),
    event("message.opened", "open 1"),
    event("message.opened", "open 2"),
    event("message.clicked", "click 1"),
    event("message.delivery_attempt", "attempt 1", { time, status: "delivered", log: "250 Ok" }),
    event("message.status", "status 2", { time, status: "delivered", delivered_at: time }),
    event("message.status", "status 1", { time: "2026-11-20T11:00:00Z", status: "sent" }),
  ]) {
    await send(body);
  }
  const highestCount = await pollUntilEmpty(events, handler);

  const url = await startService(Date.now);
  const response = await call(`${url}/v2/accounts/${account_id}/messages/${message.id}`, {
    headers: bearer(secret),
  });
  expect(await response.json()).toMatchObject({
    open_count: 2,
    click_count: 1,
    delivery_attempts: [{ time, status: "delivered", log: "250 Ok" }],
    status: "delivered",
    delivered_at: time,
    content: raw.toString(),
  });
  expect(failed).toEqual([early?.messageId]);
  expect(highestCount).toBe(5);
  expect((await receive(deadLetters)).map(({ body }) => body).toSorted()).toEqual(bad.toSorted());
});
