import { pipeline, Writable } from "node:stream";
import type { BrotliCompress, Gzip, ZstdCompress, ZstdDecompress } from "node:zlib";

type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Sends `source` through a stream of node:zlib, and returns that stream. If `source` fails, the stream fails with the
 * same error. Destroying the stream destroys `source`.
 *
 * Unlike `pipeline`, this function waits for each write. If `end()` comes while a write is pending, Node.js ends a zstd
 * stream with a second, empty frame, and httpx 0.28 raises `DecodingError` at a second frame. Waiting also keeps only
 * one chunk of `source` in use at a time. An empty chunk ends a zstd block.
 */
export const throughZlib = <Zlib extends BrotliCompress | Gzip | ZstdCompress | ZstdDecompress>(
  source: Chunks,
  zlib: Zlib,
): Zlib => {
  const gate = new Writable({
    highWaterMark: 1,
    write: (chunk, _encoding, written) => (chunk.length > 0 ? zlib.write(chunk, written) : zlib.flush(written)),
    final: (ended) => {
      zlib.end();
      ended();
    },
  });
  zlib.once("close", () => gate.destroy());
  pipeline(source, gate, (error) => error && zlib.destroy(error));
  return zlib;
};
