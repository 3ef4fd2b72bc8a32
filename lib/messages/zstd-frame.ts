/**
 * Puts the head of a message in front of the stored zstd stream. The result is one frame (RFC 8878, section 3.1.1). Two
 * frames are legal, but Node.js would stop after the first frame without an error.
 *
 *   stored   magic, descriptor, window │ compressed blocks … │ checksum
 *   sent     magic, descriptor, window │ head in raw blocks │ compressed blocks …
 *
 * The blocks need no change, because they contain distances, and not positions in the frame.
 */
const magicBytes = 4;
const headerBytes = 6;
const checksumBytes = 4;

/** Streams that were stored before November 2026 end with this second frame, which is empty. */
const emptyFrame = Buffer.from("28b52ffd240001000099e9d851", "hex");

/** `compressToSegments` writes a frame with a window and a checksum, and without a length. */
const storedDescriptor = 0b100;
const sentDescriptor = 0b000;

/** RFC 9659 allows windows of up to 8 MB. The upper five bits of the byte are the exponent minus 10. */
const maximumWindow = (23 - 10) << 3;

/** Every window allows blocks of this size, because the smallest stored window has 128 KiB (section 3.1.1.2.4). */
const maximumBlockBytes = 128 * 1024;

/** Returns whether HTTP allows the stored window. */
export const isSendable = (firstSegment: Uint8Array): boolean =>
  firstSegment[magicBytes] === storedDescriptor && (firstSegment[magicBytes + 1] ?? 255) <= maximumWindow;

/** The header contains the size, type 0 (raw) and 0 for "not the last block" (section 3.1.1.2). */
const rawBlock = (bytes: Uint8Array): Buffer => {
  const header = Buffer.alloc(3);
  header.writeUIntLE(bytes.length << 3, 0, 3);
  return Buffer.concat([header, bytes]);
};

/** Returns the start of the frame, with the bytes that come before the stored content. */
export const openFrame = (firstSegment: Uint8Array, bytes: Uint8Array): Buffer => {
  const header = Buffer.from(firstSegment.subarray(0, headerBytes));
  header[magicBytes] = sentDescriptor;
  const blocks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += maximumBlockBytes) {
    blocks.push(rawBlock(bytes.subarray(start, start + maximumBlockBytes)));
  }
  return Buffer.concat([header, ...blocks]);
};

/** Yields the stored blocks. Omits the stored checksum, because it does not cover the head, and an empty frame. */
export async function* closeFrame(segments: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const heldBytes = checksumBytes + emptyFrame.length;
  let held = Buffer.alloc(0);
  let skipped = headerBytes;
  for await (const segment of segments) {
    const bytes = Buffer.concat([held, segment.subarray(skipped)]);
    skipped = 0;
    yield bytes.subarray(0, -heldBytes);
    held = bytes.subarray(-heldBytes);
  }
  if (!held.subarray(checksumBytes).equals(emptyFrame)) yield held.subarray(0, -checksumBytes);
}
