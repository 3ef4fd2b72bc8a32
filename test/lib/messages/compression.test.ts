import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { compressToSegments, decompressor, decompressSmall } from "../../../lib/messages/compression.ts";
import { renderContent } from "../../../lib/messages/content.ts";

/** An email whose attachment nothing can compress but what knows that it stands twice. */
const emailOf = (attachmentBytes: number): Buffer =>
  Buffer.from(
    "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
      randomBytes(attachmentBytes).toString("base64").replace(/.{76}/g, "$&\r\n"),
  );

const compress = async (raw: Buffer) => (await compressToSegments(renderContent(raw), raw.length)).segments;

const bytesOf = (segments: Buffer[]): number => segments.reduce((sum, { length }) => sum + length, 0);

test.each([50_000, 1_000_000, 3_000_000, 12_000_000])(
  "An attachment of %i bytes that stands in the raw and in the parsed email is kept once",
  async (attachmentBytes) => {
    const raw = emailOf(attachmentBytes);

    expect(bytesOf(await compress(raw))).toBeLessThan(0.83 * raw.length);
  },
);

test("The reader holds a window no larger than the next power of two of the email", async () => {
  const raw = emailOf(3_000_000);
  const segments = await compress(raw);

  // RFC 8878, section 3.1.1.1.2: the exponent is in the five bits above the last three.
  const windowLog = 10 + ((segments[0]?.[5] ?? 0) >> 3);

  expect(2 ** (windowLog - 1)).toBeLessThan(1.1 * raw.length);
});

test("Segments fit an item, three of them a page, and the first one little to wait for", async () => {
  const segments = await compress(emailOf(3_000_000));

  expect(segments[0]?.length).toBe(100_000);
  expect(Math.max(...segments.map(({ length }) => length))).toBe(340_000);
});

test("A stream of the segments gives the content back, whatever its window", async () => {
  const raw = emailOf(12_000_000);

  const content = await buffer(Readable.from(await compress(raw)).pipe(decompressor()));

  expect(content.equals(Buffer.concat([...renderContent(raw)]))).toBe(true);
});

test("What decompresses to 1 MiB at most does so at once; what turns out to be more, does not", async () => {
  const pieces = (bytes: number) => [Buffer.alloc(bytes, "small when compressed ")];
  const small = await compressToSegments(pieces(1024 * 1024), 1024 * 1024);
  const large = await compressToSegments(pieces(1024 * 1024 + 1), 1024 * 1024);

  expect(decompressSmall(small.segments)?.equals(pieces(1024 * 1024)[0] ?? Buffer.of())).toBe(true);
  expect(decompressSmall(large.segments)).toBeNull();
});

test("Segments that are damaged are an error, not another content", async () => {
  const segments = await compress(emailOf(50_000));
  segments[0]?.writeUInt8((segments[0].at(-10) ?? 0) ^ 1, segments[0].length - 10);

  expect(() => decompressSmall(segments)).toThrow();
});
