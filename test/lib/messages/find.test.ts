import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { findMessage } from "../../../lib/messages/find.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import type { Table } from "../../../lib/table/table.ts";
import { newMessage, noon, table } from "../../harness/service.ts";

type Send = () => Promise<unknown>;

/** The table, and what happens around each call to it. */
const tableWith = (around: (send: Send, call: number) => Promise<unknown>): Table & { calls: number } => {
  const watched = {
    name: table.name,
    calls: 0,
    client: {
      send: ((command: never) => around(() => table.client.send(command), watched.calls++)) as never,
    },
  };
  return watched;
};

const stored = async (raw: Buffer) => {
  const message = newMessage({ account_id: randomUUID() });
  await storeMessage(table, message, raw, noon);
  return message;
};

const find = async (from: Table, { account_id, id }: { account_id: string; id: string }) => {
  const found = await findMessage(from, account_id, id, noon);
  if (!found) throw new Error("it is not there");
  return found;
};

const readSegments = async (found: Awaited<ReturnType<typeof find>>): Promise<Buffer> => {
  const segments: Uint8Array[] = [];
  for await (const segment of found.segments()) segments.push(segment);
  return Buffer.concat(segments);
};

/** Reads a message to its end, each call taking a moment. Returns its segments, the calls and how many ran at once. */
const watchReading = async (bytes: number) => {
  const message = await stored(randomBytes(bytes));
  let underWay = 0;
  let most = 0;
  const counted = tableWith(async (send) => {
    most = Math.max(most, ++underWay);
    await sleep(20);
    const output = await send();
    underWay--;
    return output;
  });
  const found = await find(counted, message);
  await readSegments(found);
  return { segments: found.head.segments, calls: counted.calls, most };
};

test("Four pages are under way at once, and no more, until the last one is read", async () => {
  const { segments, calls, most } = await watchReading(6_000_000);

  expect(most).toBe(4);
  expect(calls).toBe(1 + Math.ceil((segments - 1) / 3));
});

test("What is not worth four pages comes all at once, in smaller ones", async () => {
  const { segments, calls, most } = await watchReading(300_000);

  expect(segments).toBe(4);
  expect([calls, most]).toEqual([1 + 3, 3]);
});

test("Pages are read in order, in whatever order they arrive", async () => {
  const message = await stored(randomBytes(4_000_000));
  const delayed = tableWith(async (send, call) => {
    await sleep(call % 2 ? 100 : 0);
    return send();
  });

  const segments = await readSegments(await find(delayed, message));

  expect(segments.equals(await readSegments(await find(table, message)))).toBe(true);
});

test("A reader who leaves while the table is throttled leaves no calls behind", async () => {
  const message = await stored(randomBytes(3_000_000));
  const throttled = tableWith(async (send, call) => {
    if (call === 0) return send();
    throw Object.assign(new Error(), { name: "ThrottlingException" });
  });

  for await (const _ of (await find(throttled, message)).segments()) break;
  const { calls } = throttled;
  await sleep(500);

  expect(throttled.calls).toBe(calls);
});
