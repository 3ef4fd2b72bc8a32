/** The content of a message as Get Message returns it: the end of the JSON object, ready to be stored. */
import { isUtf8 } from "node:buffer";
import { parseEmail } from "./mime.ts";

/** Characters that are rendered at a time. One takes 6 bytes at most, so no piece reaches 1 MiB. */
const sliceCharacters = 64 * 1024;

/**
 * Every byte of an email as text: UTF-8 where the bytes are valid UTF-8 (a byte-order mark stays), else one
 * character per byte (latin1). Encoding it again the same way gives the same bytes.
 */
export const decodeRaw = (raw: Uint8Array): string => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  return bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");
};

/**
 * The UTF-8 bytes `"content":…,"content_parsed":…}`, which end a Message object, in pieces of less than
 * 1 MiB, to be read once; `raw` is null for a message whose email is not available. Together they are what
 * JSON.stringify would give. Memory is a small multiple of the email's size. Never throws.
 *
 * @param fields come before `content`
 * @returns how many bytes come before `content_parsed`
 */
export function* renderContent(
  raw: Uint8Array | null,
  fields: Record<string, Json> = {},
): Generator<Buffer, number> {
  const content = raw && decodeRaw(raw);
  const content_parsed = raw && parseEmail(raw);
  const bytes = yield* inPieces(jsonFields({ ...fields, content }, ","));
  yield* inPieces(jsonFields({ content_parsed }, "}"));
  return bytes;
}

/** Returns the number of bytes. */
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

type Json = string | null | readonly Json[] | { readonly [name: string]: Json };

const jsonFields = (fields: Record<string, Json>, end: string) =>
  jsonList("", Object.entries(fields), jsonField, end);

/** JSON.stringify in pieces: the whole of a large email would pass the length that a string may have. */
function* json(value: Json): Generator<string> {
  if (typeof value === "string") yield* jsonString(value);
  else if (value === null) yield "null";
  else if (isArray(value)) yield* jsonList("[", value, json, "]");
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

/** Half a surrogate pair would be escaped (ECMA-262, QuoteJSONString), the whole pair is not. */
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);
