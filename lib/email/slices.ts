/** Cuts bytes into slices, because a string with all of a large email's text would need up to twice its bytes. */

const sliceBytes = 64 * 1024;

export function* slicesOf(bytes: Buffer, size = sliceBytes): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const isContinuation = (byte = 0): boolean => byte >> 6 === 0b10;

/** Never cuts a valid character in two. */
export function* utf8SlicesOf(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < bytes.length) {
    let end = start + sliceBytes;
    for (let back = 0; back < 3 && isContinuation(bytes[end]); back++) end--;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** The length of a slice must be a multiple of three bytes, because three bytes are four characters of base64. */
export function* base64Of(bytes: Buffer): Generator<string> {
  for (const slice of slicesOf(bytes, sliceBytes - (sliceBytes % 3))) yield slice.toString("base64");
}
