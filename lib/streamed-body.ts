import type { Readable } from "node:stream";

/** A stream of JSON with at most `bytes` bytes. If it has a method `zstd`, that returns the same JSON compressed. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
