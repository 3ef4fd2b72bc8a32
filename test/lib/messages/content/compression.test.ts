import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { compressToSegments, decompress } from "../../../../lib/messages/content/compression.ts";
import { renderContent } from "../../../../lib/messages/content/render-content.ts";

/** Returns an email with a random attachment. Only a compressor that finds the repetition makes it smaller. */
const emailOf = (attachmentBytes: number): Buffer =>
  Buffer.from(
    "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
      randomBytes(attachmentBytes).toString("base64").replace(/.{76}/g, "$&\r\n"),
  );

const compress = async (raw: Buffer) => (await compressToSegments(renderContent(raw), raw.length)).segments;

const bytesOf = (segments: Buffer[]): number => segments.reduce((sum, { length }) => sum + length, 0);

test.each([46_000, 50_000, 1_000_000, 3_000_000, 12_000_000])(
  "An attachment of %i bytes in content and in content_parsed is stored once",
  async (attachmentBytes) => {
    const raw = emailOf(attachmentBytes);

    expect(bytesOf(await compress(raw))).toBeLessThan(0.83 * raw.length);
  },
);

const large = emailOf(3_000_000);
const largeSegments = await compress(large);

test("The window is less than twice as large as the email", () => {
  // RFC 8878, section 3.1.1.1.2: the exponent is in the five bits above the last three.
  const windowLog = 10 + ((largeSegments[0]?.[5] ?? 0) >> 3);

  expect(2 ** (windowLog - 1)).toBeLessThan(1.1 * large.length);
});

test("The first segment has 100,000 bytes, and the others have the same size, at most 340,000 bytes", () => {
  const [first, ...others] = largeSegments.map(({ length }) => length);
  expect(first).toBe(100_000);
  expect(Math.max(...others)).toBeLessThanOrEqual(340_000);
  expect(Math.max(...others) - Math.min(...others)).toBeLessThan(others.length);
});

test("A damaged segment is an error", async () => {
  const segments = await compress(emailOf(50_000));
  segments[0]?.writeUInt8((segments[0].at(-10) ?? 0) ^ 1, segments[0].length - 10);

  expect(() => decompress(Buffer.concat(segments))).toThrow();
});
