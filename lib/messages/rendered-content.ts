/**
 * Copies fields from a message's stored JSON, such as `"content":…,"content_parsed":…}`, without parsing the JSON.
 * In some messages, long fields precede `content`.
 *
 * `between` copies the fields between two commas of the JSON. Callers pass each comma as an offset in the JSON, or as a
 * search text such as `,"content":`. No JSON string contains `,"content":`, because JSON escapes quotation marks.
 */
import { pipeline, Readable } from "node:stream";
import { decompressor } from "./compression.ts";
import type { StoredMessage } from "./find.ts";
import type { Head } from "./head.ts";

type Comma = number | ',"content":' | ',"content_parsed":';

/** If `from` is `contentStart`, `between` starts at the first field of the stored JSON. */
export const contentStart = -1;
export const beforeContent = ',"content":';

/** Returns the offset of the comma before `content_parsed`, or a search text if an old message lacks the offset. */
export const beforeParsed = ({ content_parsed_start: start }: Head): Comma =>
  start ? start - 1 : ',"content_parsed":';

export const decompressed = (message: StoredMessage): AsyncIterable<Buffer> =>
  pipeline(Readable.from(message.segments()), decompressor(), () => {});

/** Yields the JSON fields between the commas `from` and `to`, or all after `from`. @throws Error if a comma is missing */
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
