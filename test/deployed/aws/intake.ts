/** The intake as a whole: bucket, queue, dead letters and RecordEvents. */
import { setTimeout as sleep } from "node:timers/promises";
import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, onTestFinished, type TestContext, test, vi } from "vitest";
import { receivesWithin } from "../../../lib/events/redelivery.ts";
import { newEmail } from "../../bench/email.ts";
import { expectStatus } from "../expect.ts";
import type { Service } from "../service.ts";

const time = "2026-11-20T12:00:07.000Z";
const visibleWithin = { timeout: 10_000, interval: 250 };
/** Beyond this, the checks don't wait for dead letters. */
const longestMinutes = 2;

const send = (QueueUrl: string, body: string) =>
  new SQSClient().send(new SendMessageCommand({ QueueUrl, MessageBody: body }));

const receive = async (QueueUrl: string): Promise<Message[]> => {
  const { Messages = [] } = await new SQSClient().send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 5 }),
  );
  return Messages;
};

/** Waits for the dead letters with these bodies and deletes them. Those of others stay in the queue. */
const takeDeadLetters = async (QueueUrl: string, bodies: string[]): Promise<void> => {
  const missing = new Set(bodies);
  const deadline = Date.now() + 2 * longestMinutes * 60_000;
  while (missing.size > 0 && Date.now() < deadline) {
    for (const { Body = "", ReceiptHandle } of await receive(QueueUrl)) {
      if (!missing.delete(Body)) continue;
      await new SQSClient().send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    await sleep(1000);
  }
  expect([...missing]).toEqual([]);
};

const receivesBeforeDeadLetter = async (QueueUrl: string): Promise<number> => {
  const { Attributes } = await new SQSClient().send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["RedrivePolicy"] }),
  );
  return Number(JSON.parse(Attributes?.RedrivePolicy ?? "{}").maxReceiveCount);
};

export const describeIntake = (serviceOf: () => Service) => {
  let service: Service;
  let secret: string;
  let invalid: string;
  let early: { message: { id: string }; body: string };

  const event = (type: string, message: object, fields: object = {}): string =>
    JSON.stringify({ type, id: service.newEventId(), account_id: service.account_id, message, ...fields });

  // Two events fail from now on, and become dead letters while the other checks run.
  beforeAll(async () => {
    service = serviceOf();
    secret = (await service.newKey()).secret;
    const message = service.messageFields();
    early = { message, body: event("message.opened", { id: message.id }) };
    invalid = event("message.unknown", { id: message.id });
    const { EventQueueUrl } = service.outputs ?? {};
    if (EventQueueUrl) for (const body of [early.body, invalid]) await send(EventQueueUrl, body);
  });

  const output = (name: string, { skip }: TestContext): string =>
    service.outputs?.[name] ?? skip(`The stack has no output ${name}. Deploy with --context intake=true.`);

  const getMessage = async (id: string) => expectStatus(await service.getMessage(secret, id), 200);

  describe("Intake", () => {
    test("Events in any order are recorded once each, within 10 seconds after the message", async (context) => {
      const queue = output("EventQueueUrl", context);
      const { account_id: _, ...message } = service.messageFields();
      const ref = { id: message.id };
      const raw = newEmail(3_000_000);
      const object = { Bucket: output("EmailBucketName", context), Key: `${message.id}/grüße 1.eml` };
      await new S3Client().send(new PutObjectCommand({ ...object, Body: raw }));
      onTestFinished(async () => void (await new S3Client().send(new DeleteObjectCommand(object))));

      const opened = event("message.opened", ref);
      const delivered = { time, status: "delivered" };
      const earlyEvents = [
        opened,
        event("message.opened", ref),
        event("message.clicked", ref),
        event("message.status", ref, { ...delivered, delivered_at: time }),
        event("message.status", ref, { time: "2026-11-20T11:00:00Z", status: "sent" }),
        event("message.delivery_attempt", ref, { ...delivered, log: "250 Ok" }),
      ];
      for (const body of earlyEvents) await send(queue, body);
      await sleep(2000);
      const stored = event("message.stored", message, { raw_email: object.Key });
      for (const body of [stored, stored, opened]) await send(queue, body);

      await vi.waitFor(() => getMessage(message.id), { timeout: 30_000, interval: 250 });
      const expected = {
        open_count: 2,
        click_count: 1,
        delivery_attempts: [{ ...delivered, log: "250 Ok" }],
        status: "delivered",
        delivered_at: time,
      };
      await vi.waitFor(async () => expect(await getMessage(message.id)).toMatchObject(expected), visibleWithin);
      await sleep(2000); // A repeated event would be counted by now.
      const { content, ...recorded } = await getMessage(message.id);
      expect(recorded).toMatchObject(expected);
      expect(Buffer.from(content).equals(raw)).toBe(true);
    });

    test("Failing events become dead letters, and a redriven event is recorded", async (context) => {
      const queue = output("EventQueueUrl", context);
      const deadLetters = output("DeadLetterQueueUrl", context);
      if ((await receivesBeforeDeadLetter(queue)) > receivesWithin(longestMinutes * 60)) {
        context.skip("It takes an hour. Deploy with --context deadLetterMinutes=1.");
      }
      await takeDeadLetters(deadLetters, [invalid, early.body]);
      const { id } = early.message;
      await service.newMessage(null, { id });
      await send(queue, early.body); // A redrive of all dead letters would also move those of other events.
      await vi.waitFor(async () => expect(await getMessage(id)).toMatchObject({ open_count: 1 }), visibleWithin);
    });
  });
};
