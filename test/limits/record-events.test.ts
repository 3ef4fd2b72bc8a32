/** RecordEvents at the limits: many events of one message, and a table that accepts no writes. */
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { headSort } from "../../lib/table/keys.ts";
import { attempted, newMessage, noon, opened, recordEvent, status } from "../harness/service.ts";
import { deliver } from "../harness/sqs.ts";
import { grownTable, limitedTable, newTable } from "../world/limited-table.ts";
import { trueTime, until } from "../world/time.ts";

const start = async (limits = grownTable, more: object = {}) => {
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
  const { createHandler } = await import("../../functions/record-events.ts");
  const db = limitedTable(limits);
  const message = newMessage({ account_id: randomUUID(), ...more });
  const raw = Buffer.from("Subject: Hello\r\n\r\nHello");
  await db.unlimited(storeMessage(db.open(), message, raw, noon));
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
  return { event, environment };
};

test.each([
  ["500 opens of one message", {}, 500],
  ["60 opens of one message with as many tags as possible", { tags: Array(100).fill("x".repeat(255)) }, 60],
])("Five invocations at once record %s a second", async (_, fields, perSecond) => {
  const { event, environment } = await start(grownTable, fields);
  const queue = Array.from({ length: 5 * perSecond }, () => event("message.opened"));
  const run = async () => {
    const handler = environment();
    while (queue.length > 0) expect(await deliver(handler, queue.splice(0, 10))).toEqual([]);
  };
  const begin = trueTime();

  await until(Promise.all(Array.from({ length: 5 }, run)));

  expect((trueTime() - begin) / 1000).toBeLessThan(5);
});

test("What an event costs doesn't depend on how many came before, and the last status is recorded", async () => {
  const db = limitedTable(grownTable);
  const table = db.open();
  const message = newMessage({ account_id: randomUUID() });
  await db.unlimited(storeMessage(table, message, null, noon));
  const at = (number: number) => new Date(noon + number).toISOString();
  const history = [
    ...Array.from({ length: 250 }, (_, number) => attempted(noon + number, "x".repeat(200))),
    ...Array.from({ length: 1000 }, (_, number) => status("deferred", at(number))),
    ...Array.from({ length: 1000 }, () => opened),
    status("delivered", at(1000)),
  ];
  const units = new Map<string, Set<number>>();

  for (const event of history) {
    db.take();
    await db.unlimited(recordEvent(message, event, noon, table));
    units.set(event.type, (units.get(event.type) ?? new Set()).add(db.take().write));
  }

  expect(Object.fromEntries(units)).toEqual({
    "message.delivery_attempt": new Set([6]),
    "message.status": new Set([4]),
    "message.opened": new Set([4]),
  });
  const head = db.items().find(({ sk }) => sk === headSort);
  expect(head).toMatchObject({ status: "delivered", open_count: 1000, num_attempts: 250 });
});

test("Retries end before the function's timeout, and the events that were not recorded are retried", async () => {
  const { event, environment } = await start({ table: { ...newTable.table, write: 0 } });
  const stored = event("message.stored", randomUUID(), { raw_email: "1.eml" });
  const opened = event("message.opened");
  const timeout = trueTime() + 60_000;

  const failed = await until(deliver(environment(), [stored, opened], () => timeout - trueTime()));

  expect(failed).toEqual([stored.messageId, opened.messageId]);
  expect(trueTime()).toBeLessThan(timeout - 10_000);
});
