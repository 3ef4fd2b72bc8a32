import type { Readable } from "node:stream";

/** A stream of at most `bytes` bytes of JSON. If we stored the JSON compressed, `zstd` returns it as one zstd frame. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
