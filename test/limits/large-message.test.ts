/** Large messages at the limits of a new table and of one that has grown, and the small ones beside them. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { expect, test } from "vitest";
import { createHandler } from "../../functions/get-message.ts";
import { createApiKey } from "../../lib/api-keys/store.ts";
import { readSegments } from "../../lib/messages/content/read-segments.ts";
import { writeSegments } from "../../lib/messages/content/write-segments.ts";
import { findMessage } from "../../lib/messages/read/find-message.ts";
import { deleteMessage } from "../../lib/messages/remove/delete-message.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { headKey } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { getMessageEvent } from "../bench/events.ts";
import { newMessage, noon } from "../harness/service.ts";
import { grownTable, type Limits, limitedTable, newTable, segmentBytes, smallSegment } from "../world/limited-table.ts";
import { trueTime, until } from "../world/time.ts";
import { environments, percentile } from "./load.ts";

/** A head takes an address from its account and its id only, so that the simulation stores nothing else of a message. */
const newHead = () => {
  const { id, account_id, direction, sender, recipient } = newMessage({ account_id: crypto.randomUUID() });
  const created_at = new Date(noon).toISOString();
  return { id, account_id, direction, sender, recipient, created_at, expires_at: noon / 1000 + 86_400 };
};

const firstSegment = Buffer.alloc(100_000);

/** Content as `compressToSegments` cuts it. @param stored megabytes after compression: 20.8 of 25 MiB, 33.2 of 40 MiB */
const contentOf = (stored: number) => {
  const further = Math.ceil((stored * 1e6 - firstSegment.length) / segmentBytes);
  const segments = [firstSegment, ...Array<Buffer>(further).fill(smallSegment)];
  return { segments, content_bytes: 1, content_start: 0, content_parsed_start: 0 };
};

const storeWhole = async (table: Table, stored: number) => {
  const head = newHead();
  const fields = await writeSegments(table, head, contentOf(stored));
  const Item = { ...headKey(head.account_id, head.id), ...head, ...fields };
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
  return head;
};

const start = (limits: Limits, scale = 1) => {
  const db = limitedTable(limits, scale);
  const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const begin = trueTime();
    await until(work());
    return (trueTime() - begin) / 1000;
  };
  return { db, table: db.open({ canWait: true }), secondsOf };
};

test.each([
  ["25 MiB in a new table", 20.8, newTable, 7, 1.3],
  ["40 MiB in a new table", 33.2, newTable, 11, 1.3],
  ["40 MiB in a grown table", 33.2, grownTable, 3, 1.05],
  ["25 MiB in a new table whose four partitions are unevenly filled", 20.8, { ...newTable, partitions: 4 }, 12, 1.6],
])(
  "Storing %s is as fast as the table allows, with few throttled puts",
  async (_, stored, limits, seconds, putsEach) => {
    const { db, table, secondsOf } = start(limits);

    const took = await secondsOf(() => storeWhole(table, stored));

    const puts = db.take().calls.PutItem ?? 0;
    const needed = contentOf(stored).segments.length + 2; // the list of pages, and the head
    expect(took).toBeLessThan(seconds);
    expect(puts / needed).toBeLessThan(putsEach);
  },
);

test.each([
  ["new", newTable, 2500],
  ["grown", grownTable, 100],
  ["new and unevenly filled", { ...newTable, partitions: 4 }, 4000],
])("An email of 25 MiB holds up no small one beside it in a %s table", async (_, limits, p99) => {
  const { table } = start(limits);
  const durations: number[] = [];
  const storeSmall = async () => {
    const begin = trueTime();
    const content = { ...contentOf(0), segments: [Buffer.alloc(17_000)] };
    await writeSegments(table, newHead(), content);
    durations.push(trueTime() - begin);
  };
  const atOnce = pLimit(32); // as many as an import stores at a time

  const large = atOnce(() => storeWhole(table, 20.8));
  await until(Promise.all([large, ...Array.from({ length: 400 }, () => atOnce(storeSmall))]));

  expect(percentile(0.99, durations)).toBeLessThan(p99);
});

test("100 callers at once get all of a message of 40 MiB, within a minute", async () => {
  const callers = 100;
  const scale = 1 / 10; // a tenth of the callers, and of the capacity
  const { db } = start(newTable, scale);
  const { account_id, id } = await db.unlimited(storeWhole(db.open(), 33.2));
  const read = async () => {
    const table = { ...db.open(), deadline: process.uptime() * 1000 + 290_000 };
    const begin = trueTime();
    const message = await findMessage(table, account_id, id, noon, { consistent: false });
    if (!message) throw new Error("The message is not there");
    let segments = 0;
    // After 6 MB, Lambda sends 2 MB a second, and a stored byte becomes about 2.5 bytes of JSON.
    for await (const _ of readSegments(message)) if (++segments > 7) await sleep((segmentBytes * 2.5) / 2000);
    return { segments, seconds: (trueTime() - begin) / 1000 };
  };

  const responses = await until(Promise.allSettled(Array.from({ length: callers * scale }, read)));

  const whole = responses.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  expect(whole).toHaveLength(callers * scale);
  expect(new Set(whole.map(({ segments }) => segments))).toEqual(new Set([contentOf(33.2).segments.length]));
  expect(
    percentile(
      1,
      whole.map(({ seconds }) => seconds),
    ),
  ).toBeLessThan(60);
});

test.each([
  [50, "complete"],
  [70, "broken off"],
])("A response that has begun and gets no page for %i s is %s", async (seconds, end) => {
  const { db } = start(newTable);
  const account_id = crypto.randomUUID();
  const message = newMessage({ account_id });
  const raw = Buffer.concat([Buffer.from("Subject: Hello\r\n\r\n"), randomBytes(500_000)]);
  const { secret } = await until(createApiKey(db.open(), { account_id, scopes: ["*"] }, noon));
  await until(storeMessage(db.open(), message, raw, noon));
  const hotUntil = trueTime() + seconds * 1000;
  db.heat((pk) => pk.startsWith("MESSAGE#") && pk.split("#").length > 3 && trueTime() < hotUntil);
  const lambda = environments(createHandler, db.open, 300_000);

  const invoked = lambda.invoke(getMessageEvent({ account_id, secret }, message.id));
  const ended = await until(invoked.then(() => "complete").catch(() => "broken off"));

  expect(ended).toBe(end);
  expect(trueTime() > hotUntil).toBe(end === "complete");
});

test("Deleting 25 MiB reads neither its segments nor its pages", async () => {
  const { db, table } = start(newTable);
  const message = await db.unlimited(storeWhole(table, 20.8));
  db.take();

  await until(deleteMessage(table, message, noon));

  const { read } = db.take();
  expect(read).toBeLessThan(50);
  expect(db.items().filter(({ sk }) => sk.includes("#00001"))).toEqual([]);
});
