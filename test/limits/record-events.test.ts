/** RecordEvents at the limits: many events of one message, and a table that accepts no writes. */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { newMessage, noon } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";
import { grownTable, newTable, simulatedTable } from "./simulated-table.ts";
import { virtualTime } from "./virtual-time.ts";

const start = async (limits = grownTable) => {
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
  const { createHandler } = await import("../../functions/record-events.ts");
  const time = virtualTime();
  const db = simulatedTable(time.now, limits);
  const message = newMessage({ account_id: randomUUID() });
  const raw = Buffer.from("Subject: Hello\r\n\r\nHello");
  await time.until(db.unlimited(storeMessage(db.open(), message, raw, noon)));
  const { account_id, ...fields } = message;
  const event = (type: string, id: string = message.id, more: object = {}) => ({
    messageId: randomUUID(),
    body: JSON.stringify({ type, id: randomUUID(), account_id, message: { ...fields, id }, ...more }),
  });
  const environment = () =>
    createHandler(
      db.open({ canWait: true }),
      async () => randomBytes(1_000_000),
      () => noon,
      async () => {},
    );
  return { ...time, db, event, environment };
};

test.each([
  ["500 opens of one message", 0, 500],
  ["60 opens of one message whose head has 50 KB", 50, 60],
])("Five invocations at once record %s a second", async (_, kilobytes, perSecond) => {
  const { now, until, db, event, environment } = await start();
  for (const item of db.items.values()) {
    if (item.sk?.S === "HEAD") item.padding = { S: "x".repeat(kilobytes * 1024) };
  }
  const queue = Array.from({ length: 5 * perSecond }, () => event("message.opened"));
  const run = async () => {
    const handler = environment();
    while (queue.length > 0) expect(await deliver(handler, queue.splice(0, 10))).toEqual([]);
  };
  const begin = now();

  await until(Promise.all(Array.from({ length: 5 }, run)));

  expect((now() - begin) / 1000).toBeLessThan(5);
});

test("Retries end before the function's timeout, and the events that were not recorded are retried", async () => {
  const { now, until, event, environment } = await start({ table: { ...newTable.table, write: 0 } });
  const stored = event("message.stored", randomUUID(), { raw_email: "1.eml" });
  const opened = event("message.opened");
  const timeout = now() + 60_000;

  const failed = await until(deliver(environment(), [stored, opened], () => timeout - now()));

  expect(failed).toEqual([stored.messageId, opened.messageId]);
  expect(now()).toBeLessThan(timeout - 10_000);
});
