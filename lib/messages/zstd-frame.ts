/**
 * Puts the head of a message in front of the stored zstd stream. The result is one frame (RFC 8878, section 3.1.1).
 * A stream may have two frames, but Node.js would ignore the second frame without an error.
 *
 *   stored ── magic, descriptor, window │ compressed blocks … │ checksum
 *   sent ──── magic, descriptor, window │ head in raw blocks │ compressed blocks …
 *
 * The compressed blocks stay valid behind the raw blocks, because zstd refers to earlier bytes by their distance.
 */
const magicBytes = 4;
const headerBytes = 6;
const checksumBytes = 4;

/** An empty zstd frame. Before November 2026, Node.js appended this frame to many stored streams. */
const emptyFrame = Buffer.from("28b52ffd240001000099e9d851", "hex");

/** The byte Frame_Header_Descriptor of a stored zstd frame, which has a checksum but no content size field. */
const storedDescriptor = 0b100;
const sentDescriptor = 0b000;

/** HTTP's largest window is 2^23 bytes (RFC 9659). The frame header encodes a window of 2^n bytes as (n - 10) << 3. */
const maximumWindow = (23 - 10) << 3;

/** A block must not exceed the window (section 3.1.1.2.4). The smallest zstd window of stored content is 128 KiB. */
const maximumBlockBytes = 128 * 1024;

/** Returns whether the stored zstd frame can be sent over HTTP, which limits its window size to 8 MB (RFC 9659). */
export const isSendable = (firstSegment: Uint8Array): boolean =>
  firstSegment[magicBytes] === storedDescriptor && (firstSegment[magicBytes + 1] ?? 255) <= maximumWindow;

/** The block header contains the size, type 0 (raw) and 0 for "not the last block" (section 3.1.1.2). */
const rawBlock = (bytes: Uint8Array): Buffer => {
  const header = Buffer.alloc(3);
  header.writeUIntLE(bytes.length << 3, 0, 3);
  return Buffer.concat([header, bytes]);
};

/** Returns the frame header, followed by `bytes` in raw blocks. */
export const openFrame = (firstSegment: Uint8Array, bytes: Uint8Array): Buffer => {
  const header = Buffer.from(firstSegment.subarray(0, headerBytes));
  header[magicBytes] = sentDescriptor;
  const blocks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += maximumBlockBytes) {
    blocks.push(rawBlock(bytes.subarray(start, start + maximumBlockBytes)));
  }
  return Buffer.concat([header, ...blocks]);
};

/** Yields only the compressed blocks of a stored stream. The stored checksum does not cover the message's head. */
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
