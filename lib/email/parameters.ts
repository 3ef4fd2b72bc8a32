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

/** Parameter names are in lower case. If a name occurs twice, the first parameter wins. */
export type Structured = { value: string; parameters: Map<string, Parameter> };

/** `bytes` is a string with one character for each byte. Only a parameter encoded as in RFC 2231 has a `charset`. */
type Parameter = { bytes: string; charset?: string | undefined };

const mediaType = /^([!#$%&'*+.^_`{|}~\w-]+)[ \t]*\/[ \t]*"?([!#$%&'*+.^_`{|}~\w-]+)/;

/** Some mailers write `"text/html"`, `"text"/"html"` or `'attachment'`, or put the whole value into quotes. */
const withoutQuotes = (text: string): string => text.replace(/^(["'])([^"']*)\1/, "$2");

/** `missing` is the type of a part without a Content-Type; an invalid Content-Type counts as `text/plain`. */
export const contentType = (fields: readonly HeaderField[], missing = "text/plain"): Structured => {
  const text = withoutQuotes(valueAfterComments(fields, "content-type", missing));
  const [whole, type, subtype] = mediaType.exec(text) ?? ["", "text", "plain"];
  return { value: `${type}/${subtype}`.toLowerCase(), parameters: readParameters(text.slice(whole.length)) };
};

/** The value is "" if the header has only parameters, as in `Content-Disposition: filename=a.txt`. */
export const contentDisposition = (fields: readonly HeaderField[]): Structured => {
  const text = withoutQuotes(valueAfterComments(fields, "content-disposition"));
  const [token = ""] = /^[^;=( \t]*/.exec(text) ?? [];
  const isName = text[afterComments(text, token.length)] === "=";
  const value = isName ? "" : token;
  return { value: value.toLowerCase(), parameters: readParameters(text.slice(value.length)) };
};

export const transferEncoding = (fields: readonly HeaderField[]): string => {
  const [, encoding = ""] = /^["']?([\w-]*)/.exec(valueAfterComments(fields, "content-transfer-encoding")) ?? [];
  return encoding.toLowerCase();
};

/** Returns the Content-ID without its angle brackets. Some mailers write two, or encode or quote them. */
export const contentId = (fields: readonly HeaderField[], decode: DecodeCharset): string => {
  const text = decodeHeaderText(valueAfterComments(fields, "content-id"), decode);
  const [, bracketed] = /^"?<+([^<>]*)/.exec(text) ?? [];
  return trimBlanks(bracketed ?? text.replaceAll(/[<>]/g, ""));
};

/** Most mailers put encoded words into parameters although RFC 2047 (section 5) forbids it, so we decode them, too. */
export const parameterText = ({ parameters }: Structured, name: string, decode: DecodeCharset): string => {
  const parameter = parameters.get(name);
  if (!parameter) return "";
  const { bytes, charset } = parameter;
  return charset === undefined ? decodeHeaderText(bytes, decode) : decode(Buffer.from(bytes, "latin1"), charset);
};

/** `name*1*=ve.txt` is segment 1 of `name`, and its second `*` means that `ve.txt` is percent-encoded. */
type Segment = { base: string; index: number; extended: boolean; text: string };

/** RFC 2231 splits long values, but a file system's longest file name takes less than 20 segments. */
const maximumParameters = 1000;

const readParameters = (text: string): Structured["parameters"] => {
  const parameters: Structured["parameters"] = new Map();
  const segments: Segment[] = [];
  for (const { name, value } of attributes(text).take(maximumParameters)) {
    const [base = "", index, star] = name.split("*", 3);
    if (index !== undefined) {
      segments.push({ base, index: Number(index), extended: index === "" || star === "", text: value });
    } else if (!parameters.has(base)) {
      parameters.set(base, { bytes: value });
    }
  }
  // Beside `filename*0` (RFC 2231), a plain `filename` is ignored, because it's only for old programs.
  for (const [base, group] of Map.groupBy(segments, ({ base }) => base)) parameters.set(base, joinSegments(group));
  return parameters;
};

const joinSegments = (segments: Segment[]): Parameter => {
  segments.sort((a, b) => a.index - b.index || 0);
  const texts = segments.map(({ text, extended }) => (extended ? decodePercent(text) : text));
  if (!segments.some(({ extended }) => extended)) return { bytes: texts.join("") };

  // The charset is in `name*` or `name*0*`, and not in the segments that follow (RFC 2231, sections 4 and 4.1).
  const [prefix = "", charset] = /^([^']*)'[^']*'/.exec(segments[0]?.extended ? segments[0].text : "") ?? [];
  return { bytes: texts.join("").slice(decodePercent(prefix).length), charset };
};

const decodePercent = (text: string): string => decodeEscapes(text, "%").toString("latin1");

/** Some mailers write `utf-8''` before a quoted string, although RFC 2231 forbids it. */
const quotedCharset = /[^'";]*'[^'";]*'(?=")/y;

/** Accepts unquoted values with spaces, and a missing `;` or end quote. */
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
  // Some Windows mailers don't escape the backslashes in a file name such as `C:\temp\a.txt`.
  const isPair = (at: number): boolean => text[at] === "\\" && (text[at + 1] === '"' || text[at + 1] === "\\");
  let end = quote + 1;
  while (end < text.length && text[end] !== '"') end += isPair(end) ? 2 : 1;
  const bytes = Buffer.allocUnsafe(end - quote);
  let length = 0;
  for (let at = quote + 1; at < end; at++) bytes[length++] = text.charCodeAt(isPair(at) ? ++at : at);
  return { value: bytes.toString("latin1", 0, length), next: end + 1 };
};

/**
 * In an unquoted file name, a blank is part of the name; in any other unquoted value, the value ends there. In an
 * unquoted boundary, parentheses are part of the boundary.
 */
const unquoted = (name: string, value: string): string => {
  if (/^(file)?name\b/.test(name)) return value;
  if (name === "boundary") return /^[^ \t]*/.exec(value)?.[0] ?? "";
  const [token = ""] = /^[^( \t]*/.exec(value.slice(afterComments(value, 0))) ?? [];
  return token;
};

const valueAfterComments = (fields: readonly HeaderField[], name: string, missing = ""): string => {
  const [text = missing] = headerValues(fields, name);
  return text.slice(afterComments(text, 0));
};
