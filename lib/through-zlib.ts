import { pipeline, Writable } from "node:stream";
import type { BrotliCompress, Gzip, ZstdCompress, ZstdDecompress } from "node:zlib";

type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Sends `source` through a stream of node:zlib, and returns that stream. An error of `source` becomes an error of the
 * stream; if the stream is destroyed, so is `source`.
 *
 * Unlike `pipeline`, this waits for each write. Node.js ends a zstd stream with a second, empty frame if `end()` comes
 * while a write is pending, and httpx 0.28 raises `DecodingError` when it meets a second frame. Waiting also means that
 * `source` is asked for its next chunk only after the last one has been used up. An empty chunk ends a zstd block.
 */
export const throughZlib = <Zlib extends BrotliCompress | Gzip | ZstdCompress | ZstdDecompress>(
  source: Chunks,
  zlib: Zlib,
): Zlib => {
  const gate = new Writable({
    highWaterMark: 1,
    write: (chunk, _encoding, written) =>
      chunk.length > 0 ? zlib.write(chunk, written) : zlib.flush(written),
    final: (ended) => {
      zlib.end();
      ended();
    },
  });
  zlib.once("close", () => gate.destroy());
  pipeline(source, gate, (error) => error && zlib.destroy(error));
  return zlib;
};
