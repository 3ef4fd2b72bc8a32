import { randomBytes } from "node:crypto";
import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { applyChange, applyEvent, applyEvents } from "../../../lib/events/apply-events.ts";
import { parseEvent, type StoredEvent } from "../../../lib/events/event.ts";
import { readMarker } from "../../../lib/messages/marker.ts";
import { findMessage } from "../../../lib/messages/read/find-message.ts";
import { RejectedError } from "../../../lib/messages/rejected-error.ts";
import { deleteMessage } from "../../../lib/messages/remove/delete-message.ts";
import { eventKey, headKey } from "../../../lib/table/keys.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { pipelineMessage } from "../../harness/pipeline.ts";
import { day, itemsOf, noon, segmentItemsOf, table } from "../../harness/service.ts";

const hello = Buffer.from("Subject: Hello\r\n\r\nHello");
const other = Buffer.from("Subject: Other\r\n\r\nOther");

/** A message, its event message.stored and an open of it. */
const message = async ({ lasts = day, raw_email = "hello.eml" as string | null } = {}) => {
  const { account_id, id, ...rest } = await pipelineMessage({ retain_until: new Date(noon + lasts) });
  const opened = { type: "message.opened", id: "1", account_id, message: { id } } as const;
  const head = async (now = noon) => (await findMessage(table, account_id, id, now))?.head;
  const stored = parseEvent(rest.stored(raw_email, { id: "stored" })) as StoredEvent;
  return { account_id, id, stored, opened, head };
};

const store = (event: StoredEvent, now = noon, raw = hello) =>
  applyEvent(table, event, () => Promise.resolve(raw), now);

test("A message is stored once, with the email of its key, if it has one", async () => {
  const { stored, head } = await message();
  const without = await message({ raw_email: null });
  const keys: string[] = [];
  const readEmail = async (key: string) => {
    keys.push(key);
    return hello;
  };

  expect(await applyEvent(table, stored, readEmail, noon)).toBe("recorded");
  expect(await store(stored)).toBe("repeated");
  expect(await applyEvent(table, without.stored, readEmail, noon)).toBe("recorded");

  expect(keys).toEqual(["hello.eml"]);
  expect(await without.head()).toMatchObject({ segments: 0 });
  expect(await head()).toMatchObject({ status: "sent", segments: 1, domain: "example.com" });
});

test("A deleted message stays deleted, whatever the event's id or email file", async () => {
  const { stored, account_id, id, head } = await message();
  const twice = { ...stored, id: "sent twice" };
  expect([await store(stored), await store(twice)]).toEqual(["recorded", "repeated"]);
  await deleteMessage(table, { account_id, id }, noon);

  expect([await store(stored), await store(twice)]).toEqual(["repeated", "repeated"]);
  expect(await store({ ...stored, id: "another id" })).toBe("expired");
  expect(await store({ ...stored, id: "other email" }, noon, other)).toBe("expired");
  expect(await store({ ...stored, id: "no email", raw_email: null })).toBe("expired");

  expect(await head()).toBeUndefined();
});

test("A message that is blocked before its first event is not stored", async () => {
  const { stored, opened, account_id, id, head } = await message();
  await deleteMessage(table, { account_id, id }, noon, { force: true });

  expect([await store(stored), await applyChange(table, opened, noon)]).toEqual(["expired", "expired"]);

  expect(await head()).toBeUndefined();
});

test.each(["GetCommand", "PutCommand", "TransactWriteCommand"])(
  "A message that is deleted while its event is recorded is not stored, and none of its segments stays (%s)",
  async (name) => {
    const { stored, account_id, id, head } = await message();
    let isRead = false;
    let isDeleted = false;
    const deleting = interceptedTable(table, async (command, proceed) => {
      if (command.constructor.name === name && isRead && !isDeleted) {
        isDeleted = true;
        await deleteMessage(table, { account_id, id }, noon, { force: true });
      }
      return proceed();
    });
    const readEmail = async () => {
      isRead = true;
      return randomBytes(300_000);
    };

    expect(await applyEvent(deleting, stored, readEmail, noon)).toBe("expired");

    expect(await head()).toBeUndefined();
    expect(await segmentItemsOf({ account_id, id })).toEqual([]);
  },
);

test.each([
  ["alone", "hello.eml"],
  ["with others", null],
])(
  "A message that expires before its event arrives is not stored, and its other events are dropped: %s",
  async (how, raw_email) => {
    const { stored, opened, account_id, id } = await message({ lasts: 1000, raw_email });
    const others =
      how === "alone" ? [] : [(await message({ raw_email })).stored, (await message({ raw_email })).stored];

    const results = await applyEvents(table, [stored, ...others], () => Promise.resolve(hello), noon + 1000);

    expect(results.get(stored)).toEqual({ outcome: "expired" });
    for (const other of others) expect(results.get(other)).toEqual({ outcome: "recorded" });
    expect(await itemsOf({ account_id, id })).toEqual([]);
    expect(await applyChange(table, opened, noon + 1000)).toBe("expired");
  },
);

test("An event is recorded once within its longest life of 28 days, to the second", async () => {
  const { stored, opened, head } = await message({ lasts: 60 * day });
  await store(stored);

  expect(await applyChange(table, opened, noon)).toBe("recorded");
  expect(await applyChange(table, opened, noon + 28 * day - 1000)).toBe("repeated");
  expect(await head()).toMatchObject({ open_count: 1 });

  const Key = eventKey(opened.account_id, opened.id);
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
  expect(Item?.expires_at).toBe((noon + 28 * day) / 1000);
  expect(await applyChange(table, opened, noon + 28 * day)).toBe("recorded");
});

test("The id of an event is free for another one after 28 days", async () => {
  const { stored } = await message();
  const next = await message({ lasts: 60 * day });
  const sameId = { ...next.stored, account_id: stored.account_id };
  await store(stored);

  await expect(store(sameId, noon + 28 * day - 1000)).rejects.toThrow("its id is taken");
  expect(await store(sameId, noon + 28 * day)).toBe("recorded");
});

test("Two events differ even if only the last digit of a large reference_message_id does", async () => {
  const { stored } = await message();
  const withReference = (reference_message_id: bigint) => ({
    ...stored,
    message: { ...stored.message, reference_message_id },
  });

  expect(await store(withReference(9007199254740993n))).toBe("recorded");
  expect(await store(withReference(9007199254740993n))).toBe("repeated");
  await expect(store(withReference(9007199254740992n))).rejects.toThrow("its id is taken");
});

/** The table, and how many transactions it has been asked for. */
const countingTransactions = (intercept = (proceed: () => Promise<unknown>) => proceed()) => {
  let count = 0;
  const counted = interceptedTable(table, ({ constructor: { name } }, proceed) => {
    if (name !== "TransactWriteCommand") return proceed();
    count++;
    return intercept(proceed);
  });
  return { counted, count: () => count };
};

test("An open that is repeated takes no transactions of the other messages' opens", async () => {
  const messages = await Promise.all([message(), message(), message()]);
  for (const { stored } of messages) await store(stored);
  const events = messages.map(({ opened }) => opened);
  await applyChange(table, messages[1].opened, noon);
  const { counted, count } = countingTransactions();

  const results = await applyEvents(counted, events, () => Promise.reject(new Error("no email")), noon);

  expect(events.map((event) => results.get(event)?.outcome)).toEqual(["recorded", "repeated", "recorded"]);
  expect(count()).toBe(2); // The second one is without the repeated open.
});

test("While the table is throttled, a message's changes are tried together, and not one by one", async () => {
  const { stored, opened } = await message();
  await store(stored);
  const throttled = Object.assign(new Error("slow down"), { name: "ThrottlingException" });
  const { counted, count } = countingTransactions(() => Promise.reject(throttled));
  const events = ["1", "2", "3"].map((id) => ({ ...opened, id }));

  const results = await applyEvents(counted, events, () => Promise.reject(new Error("no email")), noon);

  expect([...results.values()]).toEqual(Array(3).fill({ outcome: "failed", error: throttled }));
  expect(count()).toBe(1);
});

test("An event whose message is stored between its two reads is recorded, and not dropped as expired", async () => {
  const { stored, opened, head } = await message();
  let isStored = false;
  const late = interceptedTable(table, async ({ input: { Key } }, proceed) => {
    const isOfMarker = String((Key as { pk?: string } | undefined)?.pk).startsWith("MARKER#");
    if (isOfMarker && !isStored) {
      isStored = true;
      await store(stored);
    }
    return proceed();
  });

  expect(await applyChange(late, opened, noon)).toBe("recorded");

  expect(await head()).toMatchObject({ open_count: 1 });
});

test("An event record contains only digests of the event's id and its content", async () => {
  const { stored, opened } = await message();
  await store(stored);
  const id = "ada@example.org opened it";
  await applyChange(table, { ...opened, id }, noon);

  const Key = eventKey(opened.account_id, id);
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));

  expect(Item).toEqual({
    ...Key,
    digest: expect.stringMatching(/^[\da-f]{64}$/),
    expires_at: expect.any(Number),
  });
  expect(JSON.stringify(Item)).not.toContain("ada@example.org");
});

test("A different event with the id of another one is rejected, and changes nothing", async () => {
  const { stored, opened, head } = await message();
  const next = await message();
  await store(stored);
  await applyChange(table, opened, noon);
  const taken = new RejectedError("its id is taken by another event of the account");

  const clicked = () => applyChange(table, { ...opened, type: "message.clicked" }, noon);
  const storedToo = () => store({ ...next.stored, account_id: stored.account_id, id: opened.id });
  const openedToo = () => applyChange(table, { ...opened, id: stored.id }, noon);

  for (const record of [clicked, storedToo, openedToo]) await expect(record()).rejects.toThrow(taken);
  expect(await head()).toMatchObject({ open_count: 1, click_count: 0 });
});

test("The 251st delivery attempt is rejected, and a status, an open and a click are still recorded", async () => {
  const calls: string[] = [];
  const counted = interceptedTable(table, ({ constructor: { name } }, proceed) => {
    calls.push(name);
    return proceed();
  });
  const { stored, opened, account_id, id } = await message();
  await store(stored);
  const change = (event_id: string, second: number) => ({
    ...opened,
    id: event_id,
    time: `2096-11-20T12:00:${String(second % 60).padStart(2, "0")}.000000000Z`,
    status: "deferred",
  });
  const attempt = (event_id: string) =>
    ({ ...change(event_id, 1), type: "message.delivery_attempt", log: event_id }) as const;
  const all = Array.from({ length: 252 }, (_, index) => attempt(String(index)));

  const results = await applyEvents(counted, all, () => Promise.reject(new Error("no email")), noon);

  // Together as long as a transaction has room, and one by one only at the end, where one of them is too many.
  expect(calls.filter((name) => name === "TransactWriteCommand").length).toBeLessThan(20);
  const outcomes = Map.groupBy(results.values(), ({ outcome }) => outcome);
  expect(outcomes.get("recorded")).toHaveLength(250);
  expect(new Set(outcomes.get("failed")?.map(({ error }) => String(error)))).toEqual(
    new Set(["RejectedError: its message has 250 delivery attempts already"]),
  );
  expect(await applyChange(table, { ...change("s", 2), type: "message.status" }, noon)).toBe("recorded");
  expect(await applyChange(table, { ...opened, id: "o" }, noon)).toBe("recorded");
  const read = await findMessage(table, account_id, id, noon);
  expect(read?.head).toMatchObject({ num_attempts: 250, status: "deferred", open_count: 1 });
  expect(read?.attempts).toHaveLength(250);
});

test("The marker of a message outlives it by a year, in which opens and clicks may still arrive", async () => {
  const { stored, account_id, id } = await message();
  await store(stored);

  const { expires_at } = (await readMarker(table, { account_id, id })) ?? {};

  expect(expires_at).toBe((Date.parse(stored.message.retain_until) + 366 * day) / 1000);
});

test("An event of a purged message is dropped like an event of an expired message", async () => {
  const { stored, opened, account_id, id } = await message();
  await store(stored);
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: headKey(account_id, id) }));

  expect(await applyChange(table, opened, noon + 100 * day)).toBe("expired");
});
