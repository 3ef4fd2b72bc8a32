/** Renders a message's content as the JSON that Get Message returns, and compresses it. */
import { isUtf8 } from "node:buffer";
import { type Compressed, compressToSegments, noContent } from "./compression.ts";
import type { ContentOffsets } from "./head.ts";
import { parseEmail } from "./mime.ts";

/** We render a long string in slices, so that no piece of JSON has more than 1 MiB. */
const sliceCharacters = 64 * 1024;

/** An email that isn't valid UTF-8 is decoded as latin1, which keeps every byte. */
export const decodeRaw = (raw: Uint8Array): string => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  return bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
};

/** Makes zstd end its block after the long fields, so that we can decompress them without reading the next segment. */
const endOfBlock = Buffer.of();

/** Yields the JSON in pieces of less than 1 MiB, first the long fields and then the content. Never throws. */
export function* renderContent(raw: Uint8Array | null, longFields?: JsonObject): Generator<Buffer, ContentOffsets> {
  const content = raw && decodeRaw(raw);
  const content_parsed = raw && parseEmail(raw);
  let content_start = 0;
  if (longFields) {
    content_start = yield* inPieces(longFields, ",");
    yield endOfBlock;
  }
  const content_parsed_start = content_start + (yield* inPieces({ content }, ","));
  yield* inPieces({ content_parsed }, "}");
  return { content_start, content_parsed_start };
}

export const compressContent = async (raw: Uint8Array | null, longFields?: JsonObject): Promise<Compressed> => {
  if (!raw && !longFields) return noContent;
  const bytes = (raw?.length ?? 0) + (longFields ? JSON.stringify(longFields).length : 0);
  return compressToSegments(renderContent(raw, longFields), bytes);
};

/** Returns how many bytes it has yielded. */
function* inPieces(fields: JsonObject, end: string): Generator<Buffer, number> {
  let bytes = 0;
  let text = "";
  for (const token of members(fields)) {
    text += token;
    if (text.length < sliceCharacters) continue;
    const piece = Buffer.from(text);
    yield piece;
    bytes += piece.length;
    text = "";
  }
  const last = Buffer.from(text + end);
  yield last;
  return bytes + last.length;
}

type Json = string | null | Json[] | JsonObject;
type JsonObject = { [name: string]: Json };

/** The JSON of a large email can exceed the maximum length of a string, so we yield it in pieces. */
function* json(value: Json): Generator<string> {
  if (typeof value === "string") {
    yield* jsonString(value);
  } else if (value === null) {
    yield "null";
  } else {
    yield Array.isArray(value) ? "[" : "{";
    yield* members(value);
    yield Array.isArray(value) ? "]" : "}";
  }
}

function* members(of: Json[] | JsonObject): Generator<string> {
  let separator = "";
  for (const [name, value] of Object.entries(of)) {
    yield separator;
    if (!Array.isArray(of)) {
      yield* jsonString(name);
      yield ":";
    }
    yield* json(value);
    separator = ",";
  }
}

function* jsonString(text: string): Generator<string> {
  yield '"';
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + sliceCharacters, text.length);
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** We never cut a surrogate pair in two: JSON.stringify would write each half as an escape such as `\ud83d`. */
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
