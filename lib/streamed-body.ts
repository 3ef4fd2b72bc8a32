import type { Readable } from "node:stream";

/** A stream of at most `bytes` bytes of JSON. The method `zstd` returns the same JSON as a zstd-compressed stream. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
