import type { Readable } from "node:stream";

/** A stream of JSON that is at most `bytes` long; `zstd` returns a stream of the same JSON, compressed with zstd. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
