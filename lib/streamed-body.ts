import type { Readable } from "node:stream";

/** A stream of JSON with at most `bytes` bytes. `zstd` returns the same JSON compressed with zstd. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
