/** One person who gets twice as many messages as a key of the index takes. What counts is how long the others wait. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { SQSHandler } from "aws-lambda";
import { expect, test, vi } from "vitest";
import { headSort } from "../../lib/table/keys.ts";
import { newMessage, noon } from "../harness/service.ts";
import { deliver, type Received } from "../harness/sqs.ts";
import { grownTable, limitedTable } from "../world/limited-table.ts";
import { trueTime, until } from "../world/time.ts";

const scale = 1 / 50;
/** How long messages arrive, in milliseconds. */
const longest = 3000;
const perSecondOfKey = 1000 * scale;

/** Stores messages to others, as many to one person, and measures how long the slowest of the others waits. */
const slowestOther = async (hotPerSecond: number): Promise<number> => {
  const { createHandler } = await import("../../functions/record-events.ts");
  const db = limitedTable(grownTable, scale);
  const account_id = randomUUID();
  const queue: Received[] = [];
  const send = (recipient: string): string => {
    const { account_id: _, ...message } = newMessage({ account_id, recipient });
    const event = { type: "message.stored", id: message.id, account_id, message, raw_email: null };
    queue.push({ messageId: message.id, body: JSON.stringify(event) });
    return message.id;
  };
  const idle: SQSHandler[] = [];
  const invoke = async (batch: Received[]) => {
    const clock = () => noon;
    const handler = idle.pop() ?? createHandler(db.open({ canWait: true }), undefined, clock, async () => {});
    await deliver(handler, batch);
    idle.push(handler);
  };
  const slowest = async () => {
    const sentAt = new Map<string, number>();
    let most = 0;
    for (let ms = 0; ms < longest || sentAt.size > 0; ms += 10) {
      await sleep(10);
      if (ms < longest && ms % 100 === 0) sentAt.set(send(`${randomUUID()}@example.com`), trueTime());
      if (ms < longest && ms % (1000 / hotPerSecond) < 10) send("hot@example.com");
      while (queue.length > 0 && ms % 20 === 0) void invoke(queue.splice(0, 10));
      for (const { id } of db.items().filter(({ sk, id }) => sk === headSort && sentAt.has(String(id)))) {
        most = Math.max(most, trueTime() - (sentAt.get(String(id)) ?? 0));
        sentAt.delete(String(id));
      }
    }
    return most;
  };
  const most = await until(slowest());
  expect(db.take().throttledAt.length > 0).toBe(hotPerSecond > perSecondOfKey);
  return most;
};

test("Twice as many messages to one person as a key of the index takes hold up nobody else's by 0.1 s", async () => {
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
  const usual = await slowestOther(perSecondOfKey / 2);

  const slowest = await slowestOther(2 * perSecondOfKey);

  expect(slowest).toBeLessThan(usual + 100);
});
