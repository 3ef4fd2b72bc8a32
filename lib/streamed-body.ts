import type { Readable } from "node:stream";

/** A stream of at most `bytes` bytes of JSON. `zstd` returns the same JSON, compressed. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
