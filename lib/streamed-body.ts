import type { Readable } from "node:stream";

/** A stream of JSON that is at most `bytes` long. `zstd` returns the same JSON, compressed. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
