import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { MessageField } from "../../../../lib/messages/fields.ts";
import { messageBody } from "../../../../lib/messages/read/body.ts";
import { findMessage } from "../../../../lib/messages/read/find-message.ts";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { newMessage, noon, table } from "../../../harness/service.ts";

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
