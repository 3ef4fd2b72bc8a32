/** Reads the JSON of a message's content, or a part of it, without parsing it. */
import { throughZlib } from "../through-zlib.ts";
import { decompressor } from "./compression.ts";

export const decompressed = (segments: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> =>
  throughZlib(segments, decompressor());

/** Yields the bytes from offset `from` up to offset `to`. @throws Error if there are fewer */
export async function* slice(content: AsyncIterable<Buffer>, from: number, to: number): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of content) {
    const bytes = chunk.subarray(Math.max(0, from - offset), to - offset);
    if (bytes.length > 0) yield bytes;
    offset += chunk.length;
    if (offset > to) return; // At the very end, we go on: the decompressor has yet to check the checksum.
  }
  if (offset < to) throw new Error("The content of a message is incomplete");
}
