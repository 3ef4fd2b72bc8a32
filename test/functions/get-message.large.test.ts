import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { constants, zstdDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../lib/messages/message.ts";
import type { NewMessage } from "../../lib/messages/new-message.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { bearer, call, newKey, newMessage, noon, startService, table } from "../harness/service.ts";

const MiB = 1024 * 1024;

/** Returns an email with these attachments. */
const emailWith = (attachments: Buffer[]): Buffer =>
  Buffer.from(
    [
      "From: hello@example.com",
      "To: ada@example.org",
      "Subject: Large",
      'Content-Type: multipart/mixed; boundary="edge"',
      "",
      "--edge",
      "Content-Type: text/plain; charset=utf-8",
      "",
      "Grüße",
      ...attachments.flatMap((bytes, index) => [
        "--edge",
        `Content-Type: application/octet-stream; name="${index}.bin"`,
        "Content-Transfer-Encoding: base64",
        "",
        (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n"),
      ]),
      "--edge--",
      "",
    ].join("\r\n"),
  );

/** The zstd window of such an email exceeds the 8 MB that HTTP allows, so its content is compressed again. */
describe("An email of 12 MiB", () => {
  const attachments = [randomBytes(6 * MiB), randomBytes(3 * MiB)];
  const raw = emailWith(attachments);
  let message: NewMessage;
  let secret: string;
  beforeAll(async () => {
    const key = await newKey();
    secret = key.secret;
    message = newMessage({ account_id: key.account_id });
    await storeMessage(table, message, raw, noon);
  });

  test.each(["identity", "zstd"])(
    "is returned complete: the email and its attachments, byte for byte (%s)",
    async (encoding) => {
      const url = await startService();
      expect(raw.length).toBeGreaterThan(12 * MiB);

      const response = await call(`${url}/v2/accounts/${message.account_id}/messages/${message.id}`, {
        headers: { ...bearer(secret), "Accept-Encoding": encoding },
      });

      expect(response.status).toBe(200);
      const { content, content_parsed } = (await response.json()) as Message;
      expect(Buffer.from(content ?? "").equals(raw)).toBe(true);
      expect(content_parsed?.parts).toEqual([{ content_type: "text/plain", content: "Grüße" }]);
      const received = content_parsed?.attachments.map((attachment) => Buffer.from(attachment.content, "base64")) ?? [];
      expect(received.map((bytes, index) => bytes.equals(attachments[index] ?? Buffer.alloc(0)))).toEqual([true, true]);
    },
  );

  test("is readable by a client that allows no larger zstd window than RFC 9659, 8 MiB", async () => {
    const url = await startService();
    const headers = { ...bearer(secret), "Accept-Encoding": "zstd" };

    const sent = request(`${url}/v2/accounts/${message.account_id}/messages/${message.id}`, { headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const compressed = await buffer(response); // `fetch` would also accept a window of 128 MiB.

    expect(response.headers["content-encoding"]).toBe("zstd");
    const params = { [constants.ZSTD_d_windowLogMax]: 23 };
    expect(zstdDecompressSync(compressed, { params }).length).toBeGreaterThan(2 * raw.length);
  });
});
