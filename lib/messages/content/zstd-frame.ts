/**
 * We store a message's content as a zstd frame, and insert the message's other fields into that frame when we send it.
 * A response of two frames would be valid (RFC 8878, section 3), but Node.js ignores the second frame, and httpx raises
 * an error.
 *
 *   stored ── magic, descriptor, window │ compressed blocks … │ checksum
 *   sent ──── magic, descriptor, window │ head in raw blocks │ compressed blocks …
 *
 * A compressed block refers to earlier bytes by their distance, so it stays valid if we insert blocks before it.
 */
const magicBytes = 4;
const headerBytes = 6;
const checksumBytes = 4;

/** If bit 2 of a zstd frame's descriptor is set, the frame ends with a checksum (RFC 8878, section 3.1.1.1.1). */
const storedDescriptor = 0b100;
const sentDescriptor = 0b000;

/** HTTP allows zstd windows of up to 2^23 bytes (RFC 9659), which a frame header encodes as (23 - 10) << 3. */
const maximumWindow = (23 - 10) << 3;

/** A zstd block has at most 128 KiB, and at most the size of the window (RFC 8878, section 3.1.1.2.4). */
const maximumBlockBytes = 128 * 1024;
/** A zstd window must be at least as large as the blocks, and ours have up to 128 KiB. */
const minimumWindow = (17 - 10) << 3;

export const isSendable = (firstSegment: Uint8Array): boolean =>
  firstSegment[magicBytes] === storedDescriptor && (firstSegment[magicBytes + 1] ?? 255) <= maximumWindow;

/** In zstd, `size << 3` is the header of an uncompressed block that isn't the last (RFC 8878, section 3.1.1.2). */
const rawBlock = (bytes: Uint8Array): Buffer => {
  const header = Buffer.alloc(3);
  header.writeUIntLE(bytes.length << 3, 0, 3);
  return Buffer.concat([header, bytes]);
};

export const openFrame = (firstSegment: Uint8Array, bytes: Uint8Array): Buffer => {
  const header = Buffer.from(firstSegment.subarray(0, headerBytes));
  header[magicBytes] = sentDescriptor;
  header[magicBytes + 1] = Math.max(firstSegment[magicBytes + 1] ?? 0, minimumWindow);
  const blocks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += maximumBlockBytes) {
    blocks.push(rawBlock(bytes.subarray(start, start + maximumBlockBytes)));
  }
  return Buffer.concat([header, ...blocks]);
};

/** Drops the frame's checksum, because it doesn't cover the JSON that we have inserted. */
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
