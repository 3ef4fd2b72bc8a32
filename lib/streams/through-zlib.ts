import { pipeline, Writable } from "node:stream";
import type { BrotliCompress, Gzip, ZstdCompress, ZstdDecompress } from "node:zlib";

type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Pipes `source` through a stream of node:zlib. Unlike `pipeline`, we never call `end()` during a write: Node.js would
 * append a second, empty zstd frame, and httpx 0.28 would reject the response.
 */
export const throughZlib = <Zlib extends BrotliCompress | Gzip | ZstdCompress | ZstdDecompress>(
  source: Chunks,
  zlib: Zlib,
): Zlib => {
  const gate = new Writable({
    highWaterMark: 1,
    write: (chunk, _encoding, written) => zlib.write(chunk, written),
    final: (ended) => {
      zlib.end();
      ended();
    },
  });
  zlib.once("close", () => gate.destroy());
  pipeline(source, gate, (error) => error && zlib.destroy(error));
  return zlib;
};
