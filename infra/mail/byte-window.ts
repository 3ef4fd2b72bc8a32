/** Reads a stream through a window: bytes that have been read, but not yet dropped. */

export type ByteWindow = {
  bytes: () => Buffer;
  /** No bytes follow those in the window. */
  isLast: () => boolean;
  /** Reads until the window has at least `length` bytes, or the stream ends. Without a length, reads the next chunk. */
  fill: (length?: number) => Promise<void>;
  /** Removes bytes from the start of the window. */
  drop: (length: number) => void;
  /** Closes the stream, which may not have been read to its end. */
  close: () => Promise<unknown>;
};

export const windowOn = (stream: AsyncIterable<Buffer>): ByteWindow => {
  const chunks = stream[Symbol.asyncIterator]();
  let bytes: Buffer = Buffer.alloc(0);
  let isLast = false;
  return {
    bytes: () => bytes,
    isLast: () => isLast,
    fill: async (length = bytes.length + 1) => {
      const pieces = [bytes];
      let total = bytes.length;
      while (!isLast && total < length) {
        const { done, value } = await chunks.next();
        if (done) isLast = true;
        else total += pieces.push(value) && value.length;
      }
      if (pieces.length > 1) bytes = Buffer.concat(pieces, total);
    },
    drop: (length) => {
      bytes = bytes.subarray(length);
    },
    close: async () => chunks.return?.(),
  };
};
