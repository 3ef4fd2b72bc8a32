import type { Readable } from "node:stream";

/** A stream of JSON with at most `bytes` bytes; `zstd()` is the same JSON as a zstd stream. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
