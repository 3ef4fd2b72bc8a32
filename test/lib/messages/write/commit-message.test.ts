/** A message that is stored again, under one id, through whatever way. */
import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import type { NewMessage } from "../../../../lib/messages/new-message.ts";
import { deleteMessage } from "../../../../lib/messages/remove/delete-message.ts";
import { removeContent } from "../../../../lib/messages/remove/remove-content.ts";
import { tombstonePut } from "../../../../lib/messages/tombstone.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { interceptedTable } from "../../../harness/intercepted-table.ts";
import { attempted, day, itemsOf, newMessage, noon, recordEvent, table } from "../../../harness/service.ts";
import { readMessage } from "../stored-message.ts";

const hello = Buffer.from("Subject: Hello\r\n\r\nHello");

describe("A message that is stored again", () => {
  test("with its email, after it was stored without, gets the content, and keeps its history and its retention", async () => {
    const one = newMessage({ account_id: randomUUID() });
    await storeMessage(table, one, null, noon);
    await recordEvent(one, attempted(noon, "250 OK", "delivered"));

    const later = { ...one, status: "other", retain_until: new Date(noon + day) };
    expect(await storeMessage(table, later, hello, noon + 1000)).toBe("content added");

    expect(await readMessage(one)).toMatchObject({
      content: hello.toString(),
      content_parsed: { parts: [{ content: "Hello" }] },
      num_attempts: 1,
      status: one.status,
      created_at: new Date(noon).toISOString(),
      updated_at: new Date(noon + 1000).toISOString(),
      retain_until: new Date(one.retain_until).toISOString(),
    });
    expect(await storeMessage(table, later, hello, noon + 2000)).toBe("there already");
    expect(await storeMessage(table, one, null, noon + 2000)).toBe("there already");
  });

  test("doesn't get its content back after an operator removed it, or the message", async () => {
    const [removed, deleted] = [1, 2].map(() => newMessage({ account_id: randomUUID() })) as [NewMessage, NewMessage];
    await storeMessage(table, removed, null, noon);
    await storeMessage(table, deleted, null, noon);
    await removeContent(table, removed, noon);
    await deleteMessage(table, deleted, noon);

    expect(await storeMessage(table, removed, hello, noon)).toBe("expired");
    expect(await storeMessage(table, deleted, hello, noon)).toBe("deleted");

    expect((await itemsOf(removed)).map(({ sk }) => sk)).toEqual(["HEAD"]);
    expect((await itemsOf(deleted)).map(({ sk }) => sk)).toEqual(["HEAD"]);
  });

  test.each<[string, Partial<NewMessage>, Buffer | null]>([
    ["direction", { direction: "incoming" }, null],
    ["sender", { sender: "other@example.com" }, hello],
    ["recipient", { recipient: "other@example.org" }, hello],
    ["message_id", { message_id: "<other@example.com>" }, null],
    ["subject", { subject: "Other" }, null],
    ["sender and subject", { sender: "other@example.com", subject: "Other" }, null],
    ["email", {}, Buffer.from("Subject: Other\r\n\r\nOther")],
  ])("is rejected if it's another one: %s", async (name, fields, raw) => {
    const one = newMessage({ account_id: randomUUID() });
    await storeMessage(table, one, raw ? hello : null, noon);
    const before = await itemsOf(one);

    const again = storeMessage(table, { ...one, ...fields }, raw, noon);

    await expect(again).rejects.toThrow(`a message with another ${name} has the id ${one.id}`);
    expect(await itemsOf(one)).toEqual(before);
  });
});

test("Whoever meets other writers ten times gives up, and leaves nothing behind", async () => {
  const one = newMessage({ account_id: randomUUID() });
  let tries = 0;
  const contended = interceptedTable(table, async ({ constructor: { name } }, proceed) => {
    if (name !== "TransactWriteCommand") return proceed();
    tries++;
    await table.client.send(new PutCommand(tombstonePut(table, one, noon)));
    return proceed();
  });

  const stored = storeMessage(contended, one, hello, noon);

  await expect(stored).rejects.toThrow("other calls kept writing the message");
  expect(tries).toBe(10);
  expect((await itemsOf(one)).filter(({ bytes }) => bytes)).toEqual([]);
});
