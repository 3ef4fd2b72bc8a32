/** Renders a message's content as the JSON that Get Message returns, and compresses it. */
import { isUtf8 } from "node:buffer";
import { type Compressed, compressToSegments, noContent } from "./compression.ts";
import type { ContentOffsets } from "./head.ts";
import { parseEmail } from "./mime.ts";

/** A long string becomes JSON in slices, so that no piece has more than 1 MiB. */
const sliceCharacters = 64 * 1024;

/** Latin1 if the bytes aren't valid UTF-8: it keeps every byte. A byte-order mark stays. */
export const decodeRaw = (raw: Uint8Array): string => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  return bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
};

/** If one zstd block held both the long fields and content, reading them could need segments that hold content only. */
const endOfBlock = Buffer.of();

/**
 * Yields `"content":…,"content_parsed":…}` in pieces of less than 1 MiB, as JSON.stringify would write it.
 * Memory use is a small multiple of the email's size. Never throws.
 *
 * @param raw the email, or `null` if the email is not available
 * @param longFields the fields that come before `content`, if any
 * @returns the offsets of `"content":` and `"content_parsed":`
 */
export function* renderContent(
  raw: Uint8Array | null,
  longFields?: Record<string, Json>,
): Generator<Buffer, ContentOffsets> {
  const content = raw && decodeRaw(raw);
  const content_parsed = raw && parseEmail(raw);
  let content_start = 0;
  if (longFields) {
    content_start = yield* inPieces(jsonFields(longFields, ","));
    yield endOfBlock;
  }
  const content_parsed_start = content_start + (yield* inPieces(jsonFields({ content }, ",")));
  yield* inPieces(jsonFields({ content_parsed }, "}"));
  return { content_start, content_parsed_start };
}

/** Renders and compresses the content of a message, with its long fields if it has any. */
export const compressContent = async (
  raw: Uint8Array | null,
  longFields?: Record<string, Json>,
): Promise<Compressed> => {
  if (!raw && !longFields) return noContent;
  const bytes = (raw?.length ?? 0) + (longFields ? JSON.stringify(longFields).length : 0);
  return compressToSegments(renderContent(raw, longFields), bytes);
};

function* inPieces(texts: Iterable<string>): Generator<Buffer, number> {
  let bytes = 0;
  let piece = "";
  const encode = (): Buffer => {
    const encoded = Buffer.from(piece);
    bytes += encoded.length;
    piece = "";
    return encoded;
  };
  for (const text of texts) {
    piece += text;
    if (piece.length >= sliceCharacters) yield encode();
  }
  yield encode();
  return bytes;
}

type Json = string | null | Json[] | { [name: string]: Json };

const jsonFields = (fields: Record<string, Json>, end: string) => jsonList("", Object.entries(fields), jsonField, end);

/** In pieces, because the JSON of a large email may exceed the maximum length of a string. */
function* json(value: Json): Generator<string> {
  if (typeof value === "string") yield* jsonString(value);
  else if (value === null) yield "null";
  else if (Array.isArray(value)) yield* jsonList("[", value, json, "]");
  else yield* jsonList("{", Object.entries(value), jsonField, "}");
}

function* jsonList<T>(
  open: string,
  items: readonly T[],
  item: (item: T) => Generator<string>,
  close: string,
): Generator<string> {
  yield open;
  for (const [index, value] of items.entries()) {
    if (index > 0) yield ",";
    yield* item(value);
  }
  yield close;
}

function* jsonField([name, value]: [string, Json]): Generator<string> {
  yield* jsonString(name);
  yield ":";
  yield* json(value);
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

/** Of a surrogate pair in two slices, JSON.stringify would escape each half. */
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
