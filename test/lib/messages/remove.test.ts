import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { messageBody } from "../../../lib/messages/body.ts";
import { findMessage } from "../../../lib/messages/find.ts";
import type { Message, NewMessage } from "../../../lib/messages/message.ts";
import { deleteMessage, removeContent } from "../../../lib/messages/remove.ts";
import { storeMessage } from "../../../lib/messages/store-message.ts";
import type { Table } from "../../../lib/table/table.ts";
import { day, itemsOf, newMessage, noon, opened, recordEvent, table } from "../../harness/service.ts";

/** Three segments: what is random does not compress. */
const raw = Buffer.concat([Buffer.from("Subject: Hello\r\n\r\n"), randomBytes(700_000)]);
const longSubject = "é".repeat(60_000);

let message: NewMessage;
const store = async (fields: Partial<NewMessage> = {}) => {
  message = newMessage({ account_id: randomUUID(), ...fields });
  await storeMessage(table, message, raw, noon);
};
const read = async (): Promise<Message> => {
  const found = await findMessage(table, message.account_id, message.id, noon);
  if (!found) throw new Error("There is no message");
  const chunks: Buffer[] = await messageBody(found).toArray();
  return JSON.parse(Buffer.concat(chunks).toString());
};

/** The table, on which removing fails from the given call on. */
const failingAfter = (deletes: number): Table => {
  let left = deletes;
  const send = async (command: { constructor: { name: string } }) => {
    if (command.constructor.name === "DeleteCommand" && left-- <= 0) throw new Error("power cut");
    return table.client.send(command as never);
  };
  return { name: table.name, client: { send: send as never } };
};

describe("Deleting a message", () => {
  /** Expired for every reader, until the table purges it. */
  const tombstone = {
    pk: expect.any(String),
    sk: "HEAD",
    content_digest: expect.any(String),
    expires_at: expect.toSatisfy((time: number) => time < noon / 1000),
  };

  test("leaves nothing of it, even where that took two tries", async () => {
    await store();
    await expect(deleteMessage(failingAfter(1), message, noon)).rejects.toThrow("power cut");
    expect(await findMessage(table, message.account_id, message.id, noon)).toBeNull();

    expect(await deleteMessage(table, message, noon)).toBe(true);

    expect(await itemsOf(message)).toEqual([tombstone]);
    expect(await deleteMessage(table, message, noon)).toBe(false);
  });

  test("reaches one that has expired, but is still in the table", async () => {
    await store({ retain_until: new Date(noon + day) });

    expect(await deleteMessage(table, message, noon)).toBe(true);

    expect(await itemsOf(message)).toEqual([tombstone]);
  });

  test("makes room for the same email again", async () => {
    await store();
    await deleteMessage(table, message, noon);

    expect(await storeMessage(table, message, raw, noon)).toBe(true);

    expect((await read()).content).toBe(raw.toString("latin1"));
  });
});

describe("Removing the content of a message", () => {
  test("leaves all else, and no segment", async () => {
    await store();
    await recordEvent(message, opened);
    const before = await read();

    expect(await removeContent(table, message, noon + 1000)).toBe(true);

    const updated_at = new Date(noon + 1000).toISOString();
    expect(await read()).toEqual({ ...before, updated_at, content: null, content_parsed: null });
    expect(await itemsOf(message)).toHaveLength(1);
  });

  test("keeps a subject that is too long for the head", async () => {
    await store({ subject: longSubject, tags: ['"content":', ',"content":'] });
    const before = await read();

    expect(await removeContent(table, message, noon)).toBe(true);

    expect(await read()).toEqual({ ...before, content: null, content_parsed: null });
    expect(await itemsOf(message)).toHaveLength(2);
    expect(JSON.stringify(await itemsOf(message))).not.toContain(raw.toString("base64", 0, 30));
  });

  test("is finished by a second try where the first was interrupted", async () => {
    await store();
    await expect(removeContent(failingAfter(1), message, noon)).rejects.toThrow("power cut");
    expect((await read()).content).toBeNull();

    expect(await removeContent(table, message, noon)).toBe(true);

    expect(await itemsOf(message)).toHaveLength(1);
  });

  test("outlasts a repeated store of the same email", async () => {
    await store();
    await removeContent(table, message, noon);

    expect(await storeMessage(table, message, raw, noon)).toBe(false);

    expect((await read()).content).toBeNull();
  });

  test("finds no message that has expired, or is not there", async () => {
    await store({ retain_until: new Date(noon + day) });

    expect(await removeContent(table, message, noon + day)).toBe(false);
    expect(await removeContent(table, { ...message, id: randomUUID() }, noon)).toBe(false);
  });
});
