import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { MessageField } from "../../../../lib/messages/fields.ts";
import { messageBody } from "../../../../lib/messages/read/body.ts";
import { findMessage } from "../../../../lib/messages/read/find-message.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { newMessage, noon, table } from "../../../harness/service.ts";

/** Stores an email that compresses into one segment. Returns how its body is sent. */
const sent = async (emailBytes: number) => {
  const message = newMessage({ account_id: randomUUID() });
  await storeMessage(table, message, Buffer.alloc(emailBytes, "small when compressed "), noon);
  const found = await findMessage(table, message.account_id, message.id, noon);
  if (!found) throw new Error("not stored");
  const chunks = await Readable.from(messageBody(found)).toArray();
  return { segments: found.head.segments, contentBytes: found.head.content_bytes, chunks: chunks.length };
};

test("Only content of at most 1 MiB is decompressed at once", async () => {
  const small = await sent(524_200);
  const large = await sent(524_300);

  expect([small.segments, large.segments]).toEqual([1, 1]);
  expect(small.contentBytes).toBeLessThan(1024 * 1024);
  expect(large.contentBytes).toBeGreaterThan(1024 * 1024);
  expect(small.chunks).toBe(1);
  expect(large.chunks).toBeGreaterThan(1);
});

describe("A body announces as many bytes as it yields", () => {
  test.each<{ selected: MessageField[] | undefined }>([
    { selected: undefined },
    { selected: ["content"] },
    { selected: ["content_parsed"] },
    { selected: ["content", "content_parsed"] },
    { selected: ["subject", "content"] },
    { selected: ["subject", "content_parsed"] },
  ])("$selected", async ({ selected }) => {
    const message = newMessage({ account_id: randomUUID(), subject: "Grüße" });
    await storeMessage(table, message, Buffer.from("Subject: Grüße\r\n\r\nGrüße"), noon);
    const found = await findMessage(table, message.account_id, message.id, noon);

    const body = found && messageBody(found, selected);

    if (!body || typeof body === "string") throw new Error("not a stream");
    const json = Buffer.concat(await Readable.from(body).toArray());
    expect(() => JSON.parse(json.toString())).not.toThrow();
    expect(body.bytes).toBe(json.length);
  });
});
