/** In which coding Get Message sends its response. */
import { randomBytes } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { sampleEmail } from "../harness/sample-email.ts";
import { bearer, itemsOf, newKey, newMessage, noon, startService, table } from "../harness/service.ts";

const { secret, account_id } = await newKey();

const stored = async (raw: Buffer) => {
  const message = newMessage({ account_id });
  await storeMessage(table, message, raw, noon);
  return message;
};

/** Returns the bytes on the wire. `fetch` would ask for compression, and decompress the body. */
const getRaw = async (message_id: string, headers: Record<string, string | string[]>) => {
  const url = await startService();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${url}/v2/accounts/${account_id}/messages/${message_id}`, {
      headers: { ...bearer(secret), ...headers },
    })
      .once("response", resolve)
      .once("error", reject)
      .end();
  });
  return { headers: response.headers, body: await buffer(response) };
};

describe("The response is compressed", () => {
  const storedWithLogo = async () => (await stored(await sampleEmail("welcome-html-with-logo"))).id;
  const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

  test.each([
    ["zstd", "zstd"],
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["gzip, deflate, br", "br"],
    ["gzip;q=1.0, br;q=0.5, zstd;q=0.1", "gzip"],
    ["GZIP", "gzip"],
    ["*", "gzip"],
    ["*, br;q=0.1", "gzip"],
    ["zstd, *", "zstd"],
    [["BR ;q=1", "*"], "br"],
    [["gzip;q=0.1", "br;q=0.2"], "br"],
  ] as const)("for Accept-Encoding %s, in one or several lines, with %s", async (accept, encoding) => {
    const id = await storedWithLogo();
    const plain = await getRaw(id, {});
    expect(plain.headers["content-encoding"]).toBeUndefined();

    const { headers, body } = await getRaw(id, { "Accept-Encoding": [accept].flat() });

    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers.vary).toBe("Accept-Encoding");
    expect(headers["cache-control"]).toBe("no-store");
    expect(decoders[encoding](body)).toEqual(plain.body);
  });

  test("with zstd exactly as it is stored: the body is as large as the segments and the head", async () => {
    const message = await stored(Buffer.concat([Buffer.from("\n"), randomBytes(1_000_000)]));
    const bytes = (await itemsOf(message)).reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);

    const { body } = await getRaw(message.id, { "Accept-Encoding": "zstd" });

    expect(body.length).toBeLessThan(bytes + 1000);
  });

  test.each(["", "identity", "deflate", "gzip;q=0", "gzip;q=0, *", "identity, gzip;q=0.5"])(
    "not at all for Accept-Encoding %s",
    async (accept) => {
      const { headers, body } = await getRaw(await storedWithLogo(), { "Accept-Encoding": accept });

      expect(headers["content-encoding"]).toBeUndefined();
      expect(JSON.parse(body.toString())).toMatchObject({ object: "message" });
    },
  );
});
