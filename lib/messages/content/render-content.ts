/** Renders a message's content as the JSON that Get Message returns, and compresses it. */
import { isUtf8 } from "node:buffer";
import { join } from "../../email/charset.ts";
import { readContent } from "../../email/parse-email.ts";
import { slicesOf, utf8SlicesOf } from "../../email/slices.ts";
import { type Compressed, compressToSegments, noContent } from "./compression.ts";

/** We render a long string in slices, so that no piece of JSON has more than 1 MiB. */
const sliceCharacters = 64 * 1024;

function* rawSlices(raw: Uint8Array): Generator<string> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (isUtf8(bytes)) for (const slice of utf8SlicesOf(bytes)) yield slice.toString("utf8");
  else for (const slice of slicesOf(bytes)) yield slice.toString("latin1");
}

/** An email that isn't valid UTF-8 is decoded as latin1, which keeps every byte. */
export const decodeRaw = (raw: Uint8Array): string => join(rawSlices(raw));

/** Yields the JSON in pieces of less than 1 MiB. Returns the offset of `content_parsed`. Never throws. */
export function* renderContent(raw: Uint8Array): Generator<Buffer, number> {
  const content_parsed_start = yield* inPieces({ content: rawSlices(raw) }, ",");
  yield* inPieces({ content_parsed: readContent(raw) }, "}");
  return content_parsed_start;
}

export const compressContent = async (raw: Uint8Array | null): Promise<Compressed> =>
  raw ? compressToSegments(renderContent(raw), raw.length) : noContent;

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

/** A generator is one string, in slices. */
type Json = string | Iterable<string> | null | Json[] | JsonObject;
type JsonObject = { [name: string]: Json };

/** The JSON of a large email can exceed the maximum length of a string, so we yield it in pieces. */
function* json(value: Json): Generator<string> {
  if (value === null) {
    yield "null";
  } else if (typeof value === "string") {
    yield* jsonString(slicesOfText(value));
  } else if (Array.isArray(value)) {
    yield "[";
    yield* members(value);
    yield "]";
  } else if (Symbol.iterator in value) {
    yield* jsonString(value as Iterable<string>);
  } else {
    yield "{";
    yield* members(value);
    yield "}";
  }
}

function* members(of: Json[] | JsonObject): Generator<string> {
  let separator = "";
  for (const [name, value] of Object.entries(of)) {
    yield separator;
    if (!Array.isArray(of)) yield `${JSON.stringify(name)}:`;
    yield* json(value);
    separator = ",";
  }
}

function* jsonString(slices: Iterable<string>): Generator<string> {
  yield '"';
  for (const slice of slices) yield JSON.stringify(slice).slice(1, -1);
  yield '"';
}

function* slicesOfText(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + sliceCharacters, text.length);
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield text.slice(start, end);
    start = end;
  }
}

/** We never cut a surrogate pair in two: JSON.stringify would write each half as an escape such as `\ud83d`. */
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
