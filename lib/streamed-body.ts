import type { Readable } from "node:stream";

/** A stream of JSON with at most `bytes` bytes. If the JSON is stored compressed, `zstd` sends it as one zstd frame. */
export type StreamedBody = Readable & { readonly bytes?: number; readonly zstd?: () => Readable };
