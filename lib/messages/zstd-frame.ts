/**
 * The stored zstd stream as it is sent to a caller who accepts zstd, with the head in front: one frame (RFC 8878,
 * section 3.1.1), because two are legal, but Node.js's zlib stops after the first one without an error.
 *
 *   stored   magic, descriptor, window │ compressed blocks … │ checksum
 *   sent     magic, descriptor, window │ head in raw blocks │ compressed blocks …
 *
 * Nothing is compressed again: blocks refer to what is a distance behind them, never to a place in the frame.
 */
const magicBytes = 4;
const headerBytes = 6;
const checksumBytes = 4;

/** A frame of unknown length with a window, and a checksum at its end: what `compressToSegments` makes. */
const storedDescriptor = 0b100;
const sentDescriptor = 0b000;

/** RFC 9659: 8 MB is the largest window that HTTP may use. Its exponent less 10 is in the byte's upper five bits. */
const maximumWindow = (23 - 10) << 3;

/** The least that a block may hold, whatever the window (section 3.1.1.2.4): the stored window is no smaller. */
const maximumBlockBytes = 128 * 1024;

/** Whether the content may be sent as it is stored. */
export const isSendable = (firstSegment: Uint8Array): boolean =>
  firstSegment[magicBytes] === storedDescriptor && (firstSegment[magicBytes + 1] ?? 255) <= maximumWindow;

/** Section 3.1.1.2: its size, the type 0 for raw, and that it is not the last one. */
const rawBlock = (bytes: Uint8Array): Buffer => {
  const header = Buffer.alloc(3);
  header.writeUIntLE(bytes.length << 3, 0, 3);
  return Buffer.concat([header, bytes]);
};

/** The frame's beginning, with the bytes that come before the stored content. */
export const openFrame = (firstSegment: Uint8Array, bytes: Uint8Array): Buffer => {
  const header = Buffer.from(firstSegment.subarray(0, headerBytes));
  header[magicBytes] = sentDescriptor;
  const blocks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += maximumBlockBytes) {
    blocks.push(rawBlock(bytes.subarray(start, start + maximumBlockBytes)));
  }
  return Buffer.concat([header, ...blocks]);
};

/** The rest of it: the stored frame without its header, and without its checksum, which is of the content alone. */
export async function* closeFrame(segments: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  let skipped = headerBytes;
  for await (const segment of segments) {
    const bytes = Buffer.concat([held, segment.subarray(skipped)]);
    skipped = 0;
    yield bytes.subarray(0, -checksumBytes);
    held = bytes.subarray(-checksumBytes);
  }
}
