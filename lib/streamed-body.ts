import type { Readable } from "node:stream";

/** A stream of JSON with at most `bytes` bytes. For callers who accept zstd, `zstd` returns it as it's stored. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
