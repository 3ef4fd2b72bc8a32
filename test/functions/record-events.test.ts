import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { sdkStreamMixin } from "@smithy/core/serde";
import type { SQSHandler } from "aws-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { bundle, bundleFile } from "../../infra/stack/bundling.ts";
import { openEmailBucket } from "../../lib/events/email-bucket.ts";
import { openEventQueue, type PostponeEvents } from "../../lib/events/event-queue.ts";
import type { Table } from "../../lib/table/table.ts";
import { type CapturedOutput, captureOutput } from "../harness/captured-output.ts";
import { interceptAll, interceptedTable } from "../harness/intercepted-table.ts";
import { listen } from "../harness/listen.ts";
import { pipelineMessage } from "../harness/pipeline.ts";
import { noon, table } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const raw = "Subject: Hello\r\n\r\nHello";

let output: CapturedOutput;
beforeEach(() => {
  output = captureOutput();
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
  postponed.length = 0;
});

const logged = () => output.lines().filter(({ message }) => message === "event");
const counted = (name: string) =>
  output.lines().find((line) => line.service === "RecordEvents" && name in line && "_aws" in line)?.[name];

/** Serves objects from a fake S3. The error for a missing object depends on the permission to list the bucket. */
const bucketWith = (objects: Record<string, number>, missing = "AccessDenied") => {
  const s3 = mockClient(S3Client);
  onTestFinished(() => s3.restore());
  s3.on(GetObjectCommand).callsFake(async ({ Key }) => {
    const ContentLength = objects[Key];
    if (!ContentLength) throw Object.assign(new Error("S3's own words"), { name: missing });
    return { Body: sdkStreamMixin(Readable.from([Buffer.from(raw)])), ContentLength };
  });
};

/** The delays that the function has set, in seconds, by the event's receipt. */
const postponed: Record<string, number>[] = [];
const postpone: PostponeEvents = async (retries) => {
  postponed.push(Object.fromEntries(retries.map(({ receiptHandle, seconds }) => [receiptHandle, seconds])));
};

const record = async (on: Table = table, clock = () => noon, later = postpone): Promise<SQSHandler> => {
  const { createHandler } = await import("../../functions/record-events.ts");
  return createHandler(on, openEmailBucket(), clock, later);
};

const inQueue = (...bodies: string[]) => bodies.map((body, index) => ({ messageId: `sqs-${index}`, body }));

test("An event for which a batch has too little time left is retried, and a large email needs more", async () => {
  bucketWith({ "large.eml": 31_000_000 });
  const large = await pipelineMessage();
  const small = await pipelineMessage();
  const other = await pipelineMessage();
  const bodies = [large.stored("large.eml"), small.stored(null), small.event("message.opened"), other.stored(null)];
  const reason = "too little time is left in this batch. The event will be retried";

  const all = ["sqs-0", "sqs-1", "sqs-2", "sqs-3"];
  expect(await deliver(await record(), inQueue(...bodies), () => 10_000)).toEqual(all);
  output.clear();
  expect(await deliver(await record(), inQueue(...bodies), () => 15_900)).toEqual(all);
  expect(await deliver(await record(), inQueue(...bodies), () => 46_000)).toEqual(["sqs-0"]);
  expect(await deliver(await record(), inQueue(...bodies), () => 60_000)).toEqual([]);

  expect(await (await small.get()).json()).toMatchObject({ open_count: 1 });
  expect(logged().map((line) => line.reason)).toEqual([...Array(5).fill(reason), ...Array(7).fill(undefined)]);
});

test("A batch is recorded in any order, and each event is one line in the log and one count", async () => {
  bucketWith({ "1.eml": raw.length });
  const { event, stored, get, account_id, id } = await pipelineMessage();
  const opened = event("message.opened", { id: "open by ada@example.com" });

  const failed = await deliver(await record(), inQueue(opened, stored("1.eml", { id: "stored-1" }), opened));

  expect(failed).toEqual([]);
  expect(await (await get()).json()).toMatchObject({ open_count: 1, content: raw });
  expect(logged()).toMatchObject([
    {
      sqs_message_id: "sqs-0",
      function_request_id: expect.any(String),
      receives: 1,
      type: "message.opened",
      account_id,
      message_uuid: id,
      event_id: expect.stringMatching(/^[\da-f]{64}$/), // because the id contains an address
      outcome: "recorded",
    },
    { sqs_message_id: "sqs-1", type: "message.stored", event_id: "stored-1", outcome: "recorded", level: "INFO" },
    { sqs_message_id: "sqs-2", type: "message.opened", outcome: "repeated" },
  ]);
  expect(counted("EventRecorded")).toEqual([1, 1]);
  expect(counted("EventRepeated")).toBe(1);
  expect(counted("ColdStart")).toBe(1);
});

test("What a batch says about one message is one transaction, and counts once if it arrives again", async () => {
  const { event, stored, get } = await pipelineMessage();
  const transactions: number[] = [];
  const counting = interceptedTable(table, ({ input: { TransactItems } }, proceed) => {
    if (Array.isArray(TransactItems)) transactions.push(TransactItems.length);
    return proceed();
  });
  const time = new Date(noon).toISOString();
  const batch = inQueue(
    ...Array.from({ length: 6 }, () => event("message.opened")),
    event("message.clicked"),
    event("message.status", { time, status: "delivered" }),
    event("message.delivery_attempt", { time, status: "delivered", log: "250 OK" }),
    stored(null),
  );

  expect(await deliver(await record(counting), batch)).toEqual([]);
  expect(await deliver(await record(counting), batch)).toEqual([]);

  expect(transactions).toEqual([3, 11, 11]); // The message; its changes, an attempt among them; the repeated changes, whose conditions fail.
  expect(counted("EventRecorded")).toHaveLength(10);
  expect(await (await get()).json()).toMatchObject({
    open_count: 6,
    click_count: 1,
    status: "delivered",
    num_attempts: 1,
  });
});

test("An event that fails or is repeated does not keep the others of its message from being recorded", async () => {
  const { event, stored, get } = await pipelineMessage();
  const opened = event("message.opened");
  await deliver(await record(), inQueue(stored(null), opened));
  const attempt = (log: string) =>
    event("message.delivery_attempt", { time: new Date(noon).toISOString(), status: "deferred", log });
  const batch = [
    ["click", event("message.clicked")],
    ["cut", attempt("€".repeat(100_000))],
    ["repeated", opened],
    ["its id is taken", opened.replace("message.opened", "message.clicked")],
    ["open", event("message.opened")],
  ].map(([messageId = "", body = ""]) => ({ messageId, body }));

  const failed = await deliver(await record(), batch);

  expect(failed).toEqual(["its id is taken"]);
  expect(await (await get()).json()).toMatchObject({
    open_count: 2,
    click_count: 1,
    delivery_attempts: [{ log: "€".repeat(333) }],
  });
});

test.each(["AccessDenied", "NoSuchKey"])(
  "A bad event fails alone, and the log has the reason (S3: %s)",
  async (missing) => {
    const secret = "s3cret@example.com";
    bucketWith({ "large.eml": 40 * 1024 * 1024 + 1 }, missing);
    const { event, stored, get } = await pipelineMessage();
    const other = await pipelineMessage();
    await deliver(await record(), inQueue(stored(null)));
    output.clear();

    const failed = await deliver(
      await record(),
      inQueue(
        `{ ${secret}`,
        event("message.status", { time: secret, status: secret }),
        event("message.opened"),
        other.event("message.opened"),
        other.stored(secret),
        other.stored("large.eml"),
      ),
    );

    expect(failed).toEqual(["sqs-0", "sqs-1", "sqs-3", "sqs-4", "sqs-5"]);
    expect(await (await get()).json()).toMatchObject({ open_count: 1 });
    expect(logged().map(({ level, reason }) => [level, reason])).toEqual([
      ["ERROR", "it is not JSON"],
      ["ERROR", "time must be ISO 8601 with an offset"],
      ["INFO", undefined],
      ["WARN", "its message is not stored yet"],
      ["ERROR", "its raw email is not in the bucket"],
      ["ERROR", "the email has 41943041 bytes, but at most 41943040 (40 MiB) are stored"],
    ]);
    expect(counted("EventFailed")).toEqual([1, 1, 1, 1, 1]);
    // The log never quotes an event.
    expect(output.text()).not.toContain("s3cret");
  },
);

test("An event of an expired message is dropped and counted", async () => {
  const { event, stored } = await pipelineMessage({ retain_until: new Date(noon + 1000) });
  const handler = await record();
  await deliver(handler, inQueue(stored(null)));
  const later = await record(table, () => noon + 1000);

  const failed = await deliver(later, inQueue(event("message.opened"), event("message.clicked")));

  expect(failed).toEqual([]);
  expect(counted("EventExpired")).toEqual([1, 1]);
});

test("An event is recorded in one invocation if its message is stored while the function waits", async () => {
  const { event, stored, get } = await pipelineMessage();
  const storing = await record();
  let attempts = 0;
  const late = interceptedTable(table, async (command, proceed) => {
    const isAttempt = command.constructor.name === "TransactWriteCommand";
    if (isAttempt && ++attempts === 3) await deliver(storing, inQueue(stored(null)));
    return proceed();
  });

  const failed = await deliver(await record(late), inQueue(event("message.opened")));

  expect(failed).toEqual([]);
  expect(await (await get()).json()).toMatchObject({ open_count: 1 });
  expect(postponed).toEqual([]);
});

test("An event that fails is retried with growing waits, and the others of its batch are not", async () => {
  const { event, stored } = await pipelineMessage();
  const early = await pipelineMessage();
  const received = [
    { messageId: "first", body: early.event("message.opened") },
    { messageId: "stored", body: stored(null) },
    { messageId: "25th", body: "{", receiveCount: 25 },
    { messageId: "opened", body: event("message.opened") },
  ];

  let tries = 0;
  const counting = interceptedTable(table, ({ input }, proceed) => {
    if (input.TransactItems && JSON.stringify(input).includes(early.id)) tries++;
    return proceed();
  });

  const failed = await deliver(await record(counting), received);

  expect(failed).toEqual(["first", "25th"]);
  expect(tries).toBe(5); // with the others of its batch, alone, and then after each of three pauses
  expect(postponed).toEqual([{ "receipt of first": 1, "receipt of 25th": 10 }]);
});

test("If the table and the queue fail, the event is retried, and the log has both errors but no items", async () => {
  const { event } = await pipelineMessage();
  const fault = Object.assign(new Error("The table is on fire"), { Item: "s3cret" });
  const broken = interceptedTable(table, (command, proceed) => {
    if (command.constructor.name === "TransactWriteCommand") throw fault;
    return proceed();
  });
  const fails = () => Promise.reject(new Error("The queue is unreachable"));

  const failed = await deliver(await record(broken, undefined, fails), inQueue(event("message.opened")));

  expect(failed).toEqual(["sqs-0"]);
  const errors = output.lines().filter(({ level }) => level === "ERROR");
  expect(errors.map(({ error }) => error.message)).toEqual(["The table is on fire", "The queue is unreachable"]);
  expect(output.text()).not.toContain("s3cret");
});

test("If the queue doesn't postpone one of the events, the log says so, and the event is retried", async () => {
  const rejected = { Id: "1", SenderFault: true, Code: "ReceiptHandleIsInvalid" };
  const asked: string[] = [];
  const sqs = createServer(async (request, response) => {
    asked.push(await text(request));
    response.end(JSON.stringify({ Successful: [{ Id: "0" }], Failed: [rejected] }));
  });
  const later = openEventQueue(`http://127.0.0.1:${await listen(sqs)}/123456789012/events`);

  const timeout = vi.spyOn(AbortSignal, "timeout");

  const failed = await deliver(await record(table, undefined, later), inQueue("{", "["));

  expect(failed).toEqual(["sqs-0", "sqs-1"]);
  expect(timeout).toHaveBeenCalledWith(4000);
  expect(JSON.parse(asked[0] ?? "")).toMatchObject({
    Entries: [
      { Id: "0", ReceiptHandle: "receipt of sqs-0" },
      { Id: "1", ReceiptHandle: "receipt of sqs-1" },
    ],
  });
  const errors = output.lines().filter(({ message }) => message === "postpone");
  expect(errors).toMatchObject([{ level: "ERROR", error: { message: "The queue did not postpone 1 events" } }]);
});

test("Without the URL of the queue, there is an error that says so", () => {
  vi.stubEnv("EVENT_QUEUE_URL", undefined);

  expect(() => openEventQueue()).toThrow("EVENT_QUEUE_URL is not set");
});

test("The function's own table waits while it is throttled", async () => {
  const { handler } = await import("../../functions/record-events.ts");
  const { stored, get } = await pipelineMessage();
  let throttled = 0;
  interceptAll((command, proceed) => {
    if (command.constructor.name !== "TransactWriteCommand" || throttled++ > 0) return proceed();
    throw Object.assign(new Error("slow down"), { name: "ThrottlingException" });
  });

  expect(await deliver(handler, inQueue(stored(null)))).toEqual([]);

  expect(throttled).toBe(2);
  expect((await get()).status).toBe(200);
});

test("The bundle records events in the real engine, reads emails from S3 and postpones events in SQS", async () => {
  const folder = temporaryFolder();
  bundle("functions/record-events.ts", folder);
  const asked: string[] = [];
  const aws = createServer(async (request, response) => {
    const target = request.headers["x-amz-target"];
    asked.push(target ? `${target} ${await text(request)}` : (request.url ?? ""));
    response.end(target ? '{"Successful":[],"Failed":[]}' : raw);
  });
  const endpoint = `http://127.0.0.1:${await listen(aws)}`;
  vi.stubEnv("AWS_ENDPOINT_URL_S3", endpoint);
  vi.stubEnv("EVENT_QUEUE_URL", `${endpoint}/123456789012/events`);
  const { handler } = createRequire(import.meta.url)(join(folder, bundleFile));
  const { event, stored, get } = await pipelineMessage();

  const failed = await deliver(
    handler,
    inQueue(event("message.clicked"), stored("2026/11/1.eml"), event("message.printed")),
  );

  expect(failed).toEqual(["sqs-2"]);
  const [read, visibility = ""] = asked;
  expect(read).toBe("/emails/2026/11/1.eml?x-id=GetObject");
  const [target, body = ""] = visibility.split(" {");
  expect(target).toBe("AmazonSQS.ChangeMessageVisibilityBatch");
  expect(JSON.parse(`{${body}`)).toEqual({
    QueueUrl: process.env.EVENT_QUEUE_URL,
    Entries: [{ Id: "0", ReceiptHandle: "receipt of sqs-2", VisibilityTimeout: 1 }],
  });
  expect(await (await get()).json()).toMatchObject({ click_count: 1, content: raw });
}, 120_000);

test.each([0, 1, 2, 3])(
  "An email that ends the process keeps others of its batch from being recorded only once: number %i of four",
  async (hostile) => {
    const messages = await Promise.all([0, 1, 2, 3].map(() => pipelineMessage()));
    const bodies = messages.flatMap(({ id, event, stored }) => [event("message.opened"), stored(id)]);
    const { createHandler } = await import("../../functions/record-events.ts");
    const deliverUntilCrash = (receiveCount: number) =>
      new Promise<void>((crash) => {
        const readEmail = async (key: string) => {
          if (key !== messages[hostile]?.id) return Buffer.from(raw);
          crash();
          return new Promise<Buffer>(() => {}); // A process that has ended doesn't go on.
        };
        const received = inQueue(...bodies).map((event) => ({ ...event, receiveCount }));
        void deliver(
          createHandler(table, readEmail, () => noon, postpone),
          received,
        );
      });

    await deliverUntilCrash(1);
    await deliverUntilCrash(2);

    const others = messages.filter((_, number) => number !== hostile);
    for (const { get } of others) expect(await (await get()).json()).toMatchObject({ open_count: 1 });
  },
);
