import { randomUUID } from "node:crypto";
import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { EventRejectedError, type StoredEvent } from "../../../lib/intake/event.ts";
import { MessageNotStoredYetError, recordChange, recordEvent } from "../../../lib/intake/record-event.ts";
import { findMessage } from "../../../lib/messages/find.ts";
import { deleteMessage } from "../../../lib/messages/remove.ts";
import { MessageRejectedError } from "../../../lib/messages/store-message.ts";
import { eventKey, headKey } from "../../../lib/table/keys.ts";
import { day, itemsOf, noon, table } from "../../harness/service.ts";

const hello = Buffer.from("Subject: Hello\r\n\r\nHello");

/** A new message, in an account of its own, and an open of it. */
const message = ({ lasts = day, raw_email = "hello.eml" as string | null } = {}) => {
  const account_id = randomUUID();
  const id = randomUUID();
  const stored: StoredEvent = {
    type: "message.stored",
    id: "stored",
    account_id,
    message: {
      id,
      domain_id: randomUUID(),
      direction: "outgoing",
      is_bounce_notification: false,
      message_id: "<1@example.com>",
      subject: "Hello",
      tags: [],
      sender: "hello@example.com",
      recipient: "ada@example.org",
      status: "accepted",
      sent_at: null,
      delivered_at: null,
      retain_until: new Date(noon + lasts).toISOString(),
    },
    raw_email,
  };
  const opened = { type: "message.opened", id: "1", account_id, message: { id } } as const;
  const head = async (now = noon) => (await findMessage(table, account_id, id, now))?.head;
  return { account_id, id, stored, opened, head };
};

const store = (event: StoredEvent, now = noon, raw = hello) =>
  recordEvent(table, event, () => Promise.resolve(raw), now);

test("A message is stored once, with the email that its key names", async () => {
  const { stored, head } = message();
  const keys: string[] = [];
  const readEmail = (key: string) => {
    keys.push(key);
    return Promise.resolve(hello);
  };

  expect(await recordEvent(table, stored, readEmail, noon)).toBe("recorded");
  expect(await store(stored)).toBe("repeated");

  expect(keys).toEqual(["hello.eml"]);
  expect(await head()).toMatchObject({ status: "accepted", segments: 1, domain: "example.com" });
});

test("A message whose email is not available is stored without one, and no email is asked for", async () => {
  const { stored, head } = message({ raw_email: null });

  await recordEvent(table, stored, () => Promise.reject(new Error("asked for")), noon);

  expect(await head()).toMatchObject({ segments: 0 });
});

test("A message that an operator has deleted does not come back with its event", async () => {
  const { stored, account_id, id, head } = message();
  await store(stored);
  await deleteMessage(table, { account_id, id }, noon);

  expect(await store(stored)).toBe("repeated");

  expect(await head()).toBeUndefined();
});

test("Nor does it come back with any other event that was there for it, in whatever order they come again", async () => {
  const { stored, account_id, id, head } = message();
  const again = { ...stored, id: "sent twice" };
  expect([await store(stored), await store(again)]).toEqual(["recorded", "repeated"]);
  await deleteMessage(table, { account_id, id }, noon);

  expect([await store(stored), await store(again), await store(stored)]).toEqual(Array(3).fill("repeated"));

  expect(await head()).toBeUndefined();
});

test("A message is stored again by an event of its own, after it was deleted", async () => {
  const { stored, account_id, id, head } = message();
  await store(stored);
  await deleteMessage(table, { account_id, id }, noon);

  expect(await store({ ...stored, id: "stored again" })).toBe("recorded");

  expect(await head()).toMatchObject({ id });
});

test("A message is not stored when its time has passed before the event comes", async () => {
  const { stored, account_id, id } = message({ lasts: 1000 });

  expect(await store(stored, noon + 1000)).toBe("expired");

  expect(await itemsOf({ account_id, id })).toEqual([]);
});

test("A message under an id that another one has is refused", async () => {
  const { stored } = message();
  await store(stored);

  await expect(store({ ...stored, id: "other" }, noon, Buffer.from("other"))).rejects.toThrow(
    MessageRejectedError,
  );
});

test("An event counts once until it can come no more: 28 days, to the second", async () => {
  const { stored, opened, head } = message({ lasts: 60 * day });
  await store(stored);

  expect(await recordChange(table, opened, noon)).toBe("recorded");
  expect(await recordChange(table, opened, noon + 28 * day - 1000)).toBe("repeated");
  expect(await head()).toMatchObject({ open_count: 1 });

  const Key = eventKey(opened.account_id, opened.id);
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
  expect(Item?.expires_at).toBe((noon + 28 * day) / 1000);
  expect(await recordChange(table, opened, noon + 28 * day)).toBe("recorded");
});

test("What is kept of an event is a hash of its id and of what it says", async () => {
  const { stored, opened } = message();
  await store(stored);
  const id = "ada@example.org opened it";
  await recordChange(table, { ...opened, id }, noon);

  const Key = eventKey(opened.account_id, id);
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));

  expect(Item).toEqual({
    ...Key,
    fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
    expires_at: expect.any(Number),
  });
  expect(JSON.stringify(Item)).not.toContain("ada@example.org");
});

test("Another event under an id that is taken is refused, and changes nothing", async () => {
  const { stored, opened, head } = message();
  await store(stored);
  await recordChange(table, opened, noon);

  const other = recordChange(table, { ...opened, type: "message.clicked" }, noon);

  await expect(other).rejects.toThrow(
    new EventRejectedError("its id is taken by another event of the account"),
  );
  expect(await head()).toMatchObject({ open_count: 1, click_count: 0 });
});

test("Accounts choose ids without regard to each other", async () => {
  const messages = [message(), message()];
  for (const { stored } of messages) await store(stored);

  const outcomes = await Promise.all(messages.map(({ opened }) => recordChange(table, opened, noon)));

  expect(outcomes).toEqual(["recorded", "recorded"]);
});

test("An event that comes before its message is not recorded, and is when it comes again after it", async () => {
  const { stored, opened, head } = message();

  await expect(recordChange(table, opened, noon)).rejects.toThrow(MessageNotStoredYetError);
  await store(stored);

  expect(await recordChange(table, opened, noon)).toBe("recorded");
  expect(await head()).toMatchObject({ open_count: 1 });
});

test("An event is recorded though its message comes in the middle of it, ahead of the last look", async () => {
  const { stored, opened, head } = message();
  const send = async (command: object) => {
    if (command instanceof GetCommand) await store(stored);
    return table.client.send(command as never);
  };

  expect(await recordChange({ name: table.name, client: { send: send as never } }, opened, noon)).toBe(
    "recorded",
  );

  expect(await head()).toMatchObject({ open_count: 1 });
});

test("An event of a message that the table has purged is as late as that of one that has expired", async () => {
  const { stored, opened, account_id, id } = message();
  await store(stored);
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: headKey(account_id, id) }));

  expect(await recordChange(table, opened, noon + 100 * day)).toBe("expired");
});

test("An event of a message that no event has stored can't be told from one that comes too early", async () => {
  const { opened } = message();

  await expect(recordChange(table, opened, noon)).rejects.toThrow("its message is not there yet");
});
