/**
 * Copies fields from the stored JSON of a message, without parsing the JSON. The JSON contains the fields `content` and
 * `content_parsed`. If a message has a long subject or other long fields, the JSON starts with the long fields.
 *
 * `between` copies the JSON from one comma to another comma. A caller passes the offset of each comma, or a text that
 * starts with the comma, such as `,"content":`. JSON escapes quotation marks, so no JSON string contains `,"content":`.
 */
import { pipeline, Readable } from "node:stream";
import { decompressor } from "./compression.ts";
import type { StoredMessage } from "./find.ts";
import type { Head } from "./head.ts";

type Comma = number | ',"content":';

/** A start for `between`: the first byte of the stored JSON. */
export const contentStart = -1;
export const beforeContent = ',"content":';

/** The comma before `content_parsed`. */
export const beforeParsed = ({ content_parsed_start }: Head): Comma => content_parsed_start - 1;

export const decompressed = (message: StoredMessage): AsyncIterable<Buffer> =>
  pipeline(Readable.from(message.segments()), decompressor(), () => {});

/** Yields the JSON after the comma `from`, up to the comma `to` or the end. @throws Error if a comma is missing */
export async function* between(
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  from: Comma,
  to?: Comma,
): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  let offset = 0;
  let isInside = from === contentStart;
  const find = (comma: Comma): number => {
    if (typeof comma === "string") return held.indexOf(comma);
    return comma - offset < held.length ? comma - offset : -1;
  };
  const take = (bytes: number): Buffer => {
    const taken = held.subarray(0, bytes);
    held = held.subarray(bytes);
    offset += taken.length;
    return taken;
  };
  /** Keeps the last bytes of a chunk, because the text to find may continue in the next chunk. */
  const takeAllBut = (comma: Comma | undefined): Buffer =>
    take(Math.max(0, held.length - (typeof comma === "string" ? comma.length - 1 : 0)));

  for await (const chunk of content) {
    held = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    if (!isInside) {
      const start = find(from);
      if (start < 0) takeAllBut(from);
      else take(start + 1);
      isInside = start >= 0;
    }
    if (!isInside) continue;
    const end = to === undefined ? -1 : find(to);
    if (end >= 0) return yield take(end);
    yield takeAllBut(to);
  }
  if (!isInside || to !== undefined) throw new Error("The content of a message is incomplete");
  yield held;
}
