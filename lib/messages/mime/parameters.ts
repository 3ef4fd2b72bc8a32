/** Reads header values such as `text/plain; charset=utf-8; name*0*=utf-8''na%C3%AF; name*1=ve.txt`. */
import type { DecodeCharset } from "./charset.ts";
import {
  afterComments,
  decodeEscapes,
  decodeHeaderText,
  type HeaderField,
  headerValues,
  isBlank,
  trimBlanks,
} from "./header.ts";

/** Parameter names are in lower case. If a name occurs twice, the first parameter counts. */
export type Structured = { value: string; parameters: Map<string, Parameter> };

/** `bytes` is a string with one character for each byte. `charset` is set if the value is encoded (RFC 2231). */
type Parameter = { bytes: string; charset?: string | undefined };

const mediaType = /^([!#$%&'*+.^_`{|}~\w-]+)[ \t]*\/[ \t]*([!#$%&'*+.^_`{|}~\w-]+)/;

/** Returns `missing` if the header lacks a Content-Type, and `text/plain` if the Content-Type is invalid. */
export const contentType = (fields: readonly HeaderField[], missing = "text/plain"): Structured => {
  const text = valueAfterComments(fields, "content-type", missing);
  const [whole, type, subtype] = mediaType.exec(text) ?? ["", "text", "plain"];
  return { value: `${type}/${subtype}`.toLowerCase(), parameters: readParameters(text.slice(whole.length)) };
};

/** Reads the Content-Disposition. The value is "" if the header is missing, or has only parameters. */
export const contentDisposition = (fields: readonly HeaderField[]): Structured => {
  const text = valueAfterComments(fields, "content-disposition");
  const [token = ""] = /^[^;=( \t]*/.exec(text) ?? [];
  const isName = text[afterComments(text, token.length)] === "=";
  const value = isName ? "" : token;
  return { value: value.toLowerCase(), parameters: readParameters(text.slice(value.length)) };
};

export const transferEncoding = (fields: readonly HeaderField[]): string => {
  const [, encoding = ""] = /^"?([\w-]*)/.exec(valueAfterComments(fields, "content-transfer-encoding")) ?? [];
  return encoding.toLowerCase();
};

/** Returns the undecoded Content-ID without its angle brackets. */
export const contentId = (fields: readonly HeaderField[]): string => {
  const text = valueAfterComments(fields, "content-id");
  const [, bracketed] = /^<([^>]*)/.exec(text) ?? [];
  return trimBlanks(bracketed ?? text.replace(/>$/, ""));
};

/** Returns a parameter's value. Decodes encoded words, because most mailers write encoded words in parameters. */
export const parameterText = ({ parameters }: Structured, name: string, decode: DecodeCharset): string => {
  const parameter = parameters.get(name);
  if (!parameter) return "";
  const { bytes, charset } = parameter;
  return charset === undefined
    ? decodeHeaderText(bytes, decode)
    : decode(Buffer.from(bytes, "latin1"), charset);
};

/** A segment of a parameter's value, such as `name*1*=...`. An extended segment is percent-encoded. */
type Segment = { index: number; extended: boolean; text: string };

const readParameters = (text: string): Structured["parameters"] => {
  const parameters: Structured["parameters"] = new Map();
  const segmented = new Map<string, Segment[]>();
  for (const { name, value } of attributes(text)) {
    const [base = "", index, star] = name.split("*", 3);
    if (index === undefined) {
      if (!parameters.has(base)) parameters.set(base, { bytes: value });
      continue;
    }
    const segment = { index: Number(index), extended: index === "" || star === "", text: value };
    const segments = segmented.get(base);
    if (segments) segments.push(segment);
    else segmented.set(base, [segment]);
  }
  // The RFC 2231 form replaces the plain form, which is only for programs that do not know RFC 2231.
  for (const [name, segments] of segmented) parameters.set(name, joinSegments(segments));
  return parameters;
};

/** Joins the segments of a parameter's value (RFC 2231, sections 3 and 4). Only the first segment names a charset. */
const joinSegments = (segments: Segment[]): Parameter => {
  segments.sort((a, b) => a.index - b.index || 0);
  const texts = segments.map(({ text, extended }) => (extended ? decodePercent(text) : text));
  if (!segments.some(({ extended }) => extended)) return { bytes: texts.join("") };

  const [prefix = "", charset] = /^([^']*)'[^']*'/.exec(segments[0]?.extended ? segments[0].text : "") ?? [];
  return { bytes: texts.join("").slice(decodePercent(prefix).length), charset };
};

const decodePercent = (text: string): string => decodeEscapes(text, /%([0-9a-f]{2})/gi);

/** Matches `utf-8''` before a quoted string. RFC 2231 forbids this combination. */
const quotedCharset = /[^'";]*'[^'";]*'(?=")/y;

/** Yields the parameters. Accepts unquoted values with spaces, a missing `;` and a missing end quote. */
function* attributes(text: string): Generator<{ name: string; value: string }> {
  let at = 0;
  while (at < text.length) {
    at = afterComments(text, at);
    const start = at;
    while (at < text.length && text[at] !== "=" && text[at] !== ";") at++;
    const name = trimBlanks(text.slice(start, at)).toLowerCase();
    const hasValue = text[at++] === "=";
    if (!hasValue) continue;

    while (isBlank(text[at])) at++;
    quotedCharset.lastIndex = at;
    const [charset = ""] = (name.endsWith("*") && quotedCharset.exec(text)) || [];
    at += charset.length;
    if (text[at] === '"') {
      const { value, next } = quotedString(text, at);
      at = next;
      yield { name, value: charset + value };
    } else {
      const end = text.indexOf(";", at);
      const value = text.slice(at, end < 0 ? text.length : end);
      at += value.length;
      yield { name, value: unquoted(name, trimBlanks(value)) };
    }
  }
}

const quotedString = (text: string, quote: number): { value: string; next: number } => {
  let value = "";
  let at = quote + 1;
  while (at < text.length && text[at] !== '"') {
    // Some Windows mailers write `C:\temp\a.txt` without escapes.
    if (text[at] === "\\" && (text[at + 1] === '"' || text[at + 1] === "\\")) at++;
    value += text[at++] ?? "";
  }
  return { value, next: at + 1 };
};

/** An unquoted value ends at a blank, as in `charset=us-ascii (Plain text)`. A file name may contain blanks. */
const unquoted = (name: string, value: string): string => {
  if (/^(file)?name\b/.test(name)) return value;
  const [token = ""] = /^[^( \t]*/.exec(value.slice(afterComments(value, 0))) ?? [];
  return token;
};

const valueAfterComments = (fields: readonly HeaderField[], name: string, missing = ""): string => {
  const [text = missing] = headerValues(fields, name);
  return text.slice(afterComments(text, 0));
};
