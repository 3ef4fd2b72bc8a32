/**
 * Returns the length of the zstd frame at the start of `bytes` (RFC 8878, section 3.1.1). Decoders differ in what they do
 * with bytes after it: Node.js ignores them, and httpx raises an error.
 */
export const frameLength = (bytes: Buffer): number => {
  const descriptor = bytes[4] ?? 0;
  const hasWindow = (descriptor & 0b100000) === 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0b11] ?? 0;
  const sizeBytes = [hasWindow ? 0 : 1, 2, 4, 8][descriptor >> 6] ?? 0;
  let at = 5 + (hasWindow ? 1 : 0) + dictionaryBytes + sizeBytes;
  for (let isLast = false; !isLast; ) {
    const header = bytes.readUIntLE(at, 3);
    isLast = (header & 1) === 1;
    const isRunLength = ((header >> 1) & 3) === 1;
    at += 3 + (isRunLength ? 1 : header >> 3);
  }
  return at + (descriptor & 0b100 ? 4 : 0);
};
