import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { applyChanges } from "../../../../lib/events/apply-changes.ts";
import { readSegments } from "../../../../lib/messages/content/read-segments.ts";
import { messageBody } from "../../../../lib/messages/read/body.ts";
import { findMessage } from "../../../../lib/messages/read/find-message.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import type { Table } from "../../../../lib/table/table.ts";
import { interceptedTable } from "../../../harness/intercepted-table.ts";
import { randomEmail } from "../../../harness/sample-email.ts";
import { attempted, newMessage, noon, table } from "../../../harness/service.ts";

/** Returns the table with `around` around each call, and the numbers of calls and of consistent reads. */
const watched = (around: (proceed: () => Promise<unknown>, call: number) => Promise<unknown>) => {
  const count = { calls: 0, consistent: 0 };
  const intercepted = interceptedTable(table, ({ input }, proceed) => {
    if (input.ConsistentRead) count.consistent++;
    return around(proceed, count.calls++);
  });
  return { count, table: intercepted };
};

const stored = async (raw: Buffer) => {
  const message = newMessage({ account_id: randomUUID() });
  await storeMessage(table, message, raw, noon);
  return message;
};

const find = async (from: Table, { account_id, id }: { account_id: string; id: string }) => {
  const message = await findMessage(from, account_id, id, noon);
  if (!message) throw new Error("The message does not exist");
  return message;
};

test.each([
  ["at most four pages are read at the same time", 4_700_000, 4],
  ["fewer than twelve segments are divided into smaller pages", 900_000, 3],
])("Of a message, %s", async (_, bytes, parallel) => {
  const message = await stored(randomEmail(bytes));
  let pending = 0;
  let most = 0;
  const slow = watched(async (proceed) => {
    most = Math.max(most, ++pending);
    await sleep(20);
    const output = await proceed();
    pending--;
    return output;
  });

  const found = await find(slow.table, message);
  for await (const _ of readSegments(found));

  expect(most).toBe(parallel);
  expect(slow.count.consistent).toBe(1); // the first read; a consistent read of a page would cost twice as much
  expect(slow.count.calls).toBe(1 + Math.max(parallel, Math.ceil((found.head.segments - 1) / 3)));
});

test("The head, 250 of the longest attempts and the first segment are one read", async () => {
  const message = await stored(randomEmail(200_000));
  const attempt = attempted(noon, "x".repeat(1000), "y".repeat(1000));
  const { account_id, id } = message;
  const events = Array.from({ length: 250 }, (_, index) => {
    return { ...attempt, id: String(index), account_id, message: { id } };
  });
  await applyChanges(table, events, noon);
  const { count, table: counted } = watched((proceed) => proceed());

  const found = await findMessage(counted, account_id, id, noon, { consistent: false });

  expect(found?.attempts).toHaveLength(250);
  expect(found?.first).toHaveLength(100_000);
  expect(count.calls).toBe(1);
});

test.each(["as stored", "decompressed"])("The first bytes of a response wait for no page: %s", async (coding) => {
  const message = await stored(randomEmail(1_200_000));
  const { count, table } = watched((proceed) => proceed());
  const body = messageBody(await find(table, message));
  if (typeof body === "string") throw new Error("The body is no stream");
  const stream = coding === "as stored" ? body.zstd?.() : body;

  for await (const bytes of stream ?? []) {
    expect(Buffer.from(bytes).length).toBeGreaterThan(0);
    break;
  }

  expect(count.calls).toBe(1); // the head and the first segment
});
