import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createZstdDecompress, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressToSegments } from "../../../../lib/messages/content/compression.ts";
import { closeFrame, isSendable, openFrame } from "../../../../lib/messages/content/zstd-frame.ts";
import { frameLength } from "../../../harness/zstd-frame.ts";

const content = (bytes: number): Buffer => {
  const half = randomBytes(bytes / 2).toString("base64");
  return Buffer.from(half + half).subarray(0, bytes);
};

/** Compresses two pieces, as a rendered email has them. */
const compress = async (bytes: Buffer) => {
  const pieces = [bytes.subarray(0, 1000), bytes.subarray(1000)];
  return (await compressToSegments(pieces[Symbol.iterator](), bytes.length)).segments;
};

/** Returns the frame that a caller receives for the segments. */
const sent = async (opening: Buffer, segments: Uint8Array[]): Promise<Buffer> => {
  const chunks: Uint8Array[] = [openFrame(segments[0] ?? Buffer.of(), opening)];
  const stored = async function* () {
    yield* segments;
  };
  for await (const chunk of closeFrame(stored())) chunks.push(chunk);
  return Buffer.concat(chunks);
};

test.each([
  ["a short head and a small email", 700, 20_000],
  ["a head of one block", 128 * 1024, 20_000],
  ["a head of three blocks", 350_000, 20_000],
  ["an email of many segments", 700, 2_000_000],
  ["an email of the largest window", 700, 7_600_000],
])("The response is one frame with head and content: %s", async (_, headBytes, contentBytes) => {
  const opening = randomBytes(headBytes);
  const bytes = content(contentBytes);
  const segments = await compress(bytes);

  const frame = await sent(opening, segments);

  expect(isSendable(segments[0] ?? Buffer.of())).toBe(true);
  expect(frameLength(frame)).toBe(frame.length);
  const expected = Buffer.concat([opening, bytes]);
  expect(zstdDecompressSync(frame).equals(expected)).toBe(true);
  expect((await buffer(Readable.from([frame]).pipe(createZstdDecompress()))).equals(expected)).toBe(true);
});

test.each([1, 2, 3, 4, 5])(
  "The frame does not contain the checksum at the end of a last segment of %i bytes",
  async (lastBytes) => {
    const opening = randomBytes(700);
    const bytes = content(20_000);
    const whole = Buffer.concat(await compress(bytes));

    const frame = await sent(opening, [whole.subarray(0, -lastBytes), whole.subarray(-lastBytes)]);

    expect(zstdDecompressSync(frame).equals(Buffer.concat([opening, bytes]))).toBe(true);
  },
);

test("An incomplete frame cannot be decompressed", async () => {
  const [segment = Buffer.of()] = await compress(content(20_000));

  const frame = await sent(randomBytes(700), [segment.subarray(0, -1000)]);

  expect(() => zstdDecompressSync(frame)).toThrow();
});

test("A window of more than 8 MB is not sent, because HTTP forbids it", async () => {
  const [segment = Buffer.of()] = await compress(content(8_000_000));

  expect(isSendable(segment)).toBe(false);
});
