/** Responses compressed with zstd. Some clients cannot read a second frame (httpx 0.28), even an empty one. */
import { randomBytes, randomInt } from "node:crypto";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { createZstdCompress, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { storeMessage } from "../../../../lib/messages/write/store-message.ts";
import { throughZlib } from "../../../../lib/streams/through-zlib.ts";
import { bearer, newKey, newMessage, noon, startService, table } from "../../../harness/service.ts";
import { frameLength } from "../../../harness/zstd-frame.ts";

/** Random text and base64, so that the chunks of the compressed content end at random places. */
const emailOf = (bytes: number): Buffer => {
  const text = Buffer.from("Grüße aus dem Garten, ".repeat(randomInt(1, 3000)));
  const attachment = randomBytes(bytes).toString("base64").slice(text.length);
  return Buffer.concat([Buffer.from("Subject: Hello\r\n\r\n"), text, Buffer.from(attachment)]);
};

const selections = [
  "",
  "content",
  "content_parsed",
  "content,content_parsed",
  "subject,content",
  "subject,content_parsed",
];

test.each([[[10_000, 1]], [[60_000, 1]], [[5000, 5000]], [[200_000, 200_000, 1]], [[]]])(
  "A stream is one frame, even if it ends while a short piece is being compressed: %j",
  async (pieces) => {
    const chunks = pieces.map((bytes) => randomBytes(bytes));

    const compressed = await buffer(throughZlib(chunks, createZstdCompress()));

    expect(compressed.length).toBe(frameLength(compressed));
    expect(zstdDecompressSync(compressed).equals(Buffer.concat(chunks))).toBe(true);
  },
);

test("A response is one frame for random emails, with and without a long subject, whatever fields are selected", async () => {
  const url = await startService();
  const { account_id, secret } = await newKey();
  const get = (id: string, selected: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const query = selected && `?fields=${selected}`;
      const headers = { ...bearer(secret), "Accept-Encoding": "zstd" };
      request(`${url}/v2/accounts/${account_id}/messages/${id}${query}`, { headers })
        .once("response", (response) => {
          if (response.statusCode === 200) buffer(response).then(resolve, reject);
          else reject(new Error(`status ${response.statusCode}`));
        })
        .once("error", reject)
        .end();
    });
  const trailing: string[] = [];
  const emails = Math.ceil(Number(process.env.PROPERTY_CASES ?? 30) / 4);
  for (let email = 0; email < emails; email++) {
    const subject = email % 2 === 0 ? "Hello" : randomBytes(45_000).toString("base64");
    const message = newMessage({ account_id, subject });
    const bytes = Math.round(81_000 * (1_400_000 / 81_000) ** Math.random());
    await storeMessage(table, message, emailOf(bytes), noon);

    for (const selected of selections) {
      const body = await get(message.id, selected);
      const rest = body.subarray(frameLength(body));
      if (rest.length > 0) trailing.push(`${bytes} bytes, fields=${selected}: ${rest.toString("hex")}`);
    }
  }
  expect(trailing).toEqual([]);
});
