/** Parses header fields, including those that RFC 5322 forbids but mailers send. */
import { decodeBase64 } from "./base64.ts";
import { type DecodeCharset, joinsWords } from "./charset.ts";

/** `value` is unfolded, and each of its characters is one byte of the email. */
export type HeaderField = { name: string; value: string };

/** `https://example.com` is no header field. Old emails may have blanks before the colon (RFC 5322, section 4.5). */
const fieldStart = /^(?!(?:https?|ftp):\/\/)([\x21-\x39\x3b-\x7e]+)[ \t]*:/i;

export const fieldOf = (line: string): HeaderField | undefined => {
  const [start, name] = fieldStart.exec(line) ?? [];
  return start && name ? { name, value: line.slice(start.length) } : undefined;
};

/** Reads a field whose name RFC 5322 forbids, such as `Reply To` or `X-Prénom`. */
export const oddFieldOf = (line: string): HeaderField | undefined => {
  const colon = line.slice(0, 80).indexOf(":");
  const name = trimEndBlanks(line.slice(0, Math.max(colon, 0)));
  const isTime = /^\d:\d/.test(line.slice(colon - 1));
  const isUrl = line.startsWith("://", colon) && /(?:https?|ftp)$/i.test(name);
  const isField = /[a-z\x80-\xff]/i.test(name) && !isBlank(line[0]) && !isTime && !isUrl;
  return isField ? { name, value: line.slice(colon + 1) } : undefined;
};

/** @param name in lower case */
export const headerValues = (fields: readonly HeaderField[], name: string): string[] =>
  fields.filter((field) => field.name.toLowerCase() === name).map(({ value }) => trimBlanks(value));

/** `String.trim` would also remove U+00A0, which can be a byte of a UTF-8 character. */
export const trimBlanks = (text: string): string => {
  let start = 0;
  while (isBlank(text[start])) start++;
  return trimEndBlanks(text.slice(start));
};

export const trimEndBlanks = (text: string): string => {
  let end = text.length;
  while (isBlank(text[end - 1])) end--;
  return text.slice(0, end);
};

export const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";

/** Skips blanks and comments. Comments may be nested (RFC 5322, section 3.2.2). */
export const afterComments = (text: string, at: number): number => {
  let depth = 0;
  let next = at;
  while (next < text.length) {
    const character = text[next];
    if (character === "(") depth++;
    else if (depth > 0 && character === ")") depth--;
    else if (depth > 0 && character === "\\") next++;
    else if (depth === 0 && !isBlank(character)) break;
    next++;
  }
  return next;
};

/** Matches the start of an encoded word such as `=?utf-8?q?na=C3=AF?=` (RFC 2047, section 2; RFC 2231, section 5). */
const wordStart = /=\?([^?* \t]*)(?:\*[^? \t]*)?\?([bq])\?/gi;

/** In Q, `?=20` goes on if only a later `?=` ends at a blank; a word has at most 75 characters (RFC 2047, section 2). */
const escapeInWord = /\?=[0-9A-F]{2}[^? \t]{0,75}\?=(?![^ \t])/y;

/** Mailers forget to escape a `?` in Q, so `?=` ends a word, and no other `?`. Returns -1 if the word has no end. */
const wordEnd = (value: string, start: number, isQ: boolean): number => {
  if (!isQ) {
    const end = value.indexOf("?", start);
    return value[end + 1] === "=" ? end : -1;
  }
  for (let at = start; at < value.length; at++) {
    if (value[at] === "=" && value[at + 1] === "?" && value[at + 2] !== "=") return -1; // The next word starts.
    if (value[at] !== "?" || value[at + 1] !== "=") continue;
    escapeInWord.lastIndex = at;
    if (!escapeInWord.test(value)) return at;
  }
  return -1;
};

const plainText = /^[\t -<>-~]*$/;

/** Decodes encoded words (RFC 2047), bytes above 127 (RFC 6532), and ISO-2022-JP. */
export const decodeHeaderText = (value: string, decode: DecodeCharset): string => {
  if (plainText.test(value)) return value;
  let text = "";
  let end = 0;
  /** The decoded bytes of adjacent words in the same charset. */
  const bytes = Buffer.allocUnsafe(value.length);
  let run: { charset: string; length: number } | undefined;

  const rawText = (part: string) => part && decode.header(Buffer.from(part, "latin1"));
  const endRun = () => {
    if (run) text += decode(bytes.subarray(0, run.length), run.charset);
    run = undefined;
  };

  const start = new RegExp(wordStart);
  for (let word = start.exec(value); word; word = start.exec(value)) {
    const [, label = "", encoding = ""] = word;
    const isQ = encoding.toLowerCase() === "q";
    const contentEnd = wordEnd(value, start.lastIndex, isQ);
    if (contentEnd < 0) {
      // Another word may start within what looked like the start of this one.
      start.lastIndex = word.index + 2;
      continue;
    }
    const charset = label.toLowerCase();
    const between = value.slice(end, word.index);
    // White space between encoded words is not shown (RFC 2047, section 6.2).
    const adjoins = run !== undefined && trimBlanks(between) === "";
    if (!adjoins || run?.charset !== charset || !joinsWords(charset)) endRun();
    if (!adjoins) text += rawText(between);
    run ??= { charset, length: 0 };
    const content = value.slice(start.lastIndex, contentEnd);
    run.length += (isQ ? decodeQ(content) : decodeB(content)).copy(bytes, run.length);
    end = contentEnd + 2;
    start.lastIndex = end;
  }
  endRun();
  return text + rawText(value.slice(end));
};

const decodeQ = (content: string): Buffer => decodeEscapes(content.replaceAll("_", " "), "=");

/** Like a body, a word may go on after padding. */
const decodeB = (content: string): Buffer =>
  content.includes("=") ? decodeBase64(Buffer.from(content, "latin1")) : Buffer.from(content, "base64");

const twoHexDigits = /[0-9a-f]{2}/iy;

/** Decodes escapes such as `%2F`, which begin with `mark`. Anything else stays as it is. */
export const decodeEscapes = (text: string, mark: "%" | "="): Buffer => {
  const bytes = Buffer.from(text, "latin1");
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    twoHexDigits.lastIndex = at + 1;
    const isEscape = text[at] === mark && twoHexDigits.test(text);
    bytes[length++] = isEscape ? Number.parseInt(text.slice(at + 1, at + 3), 16) : (bytes[at] ?? 0);
    if (isEscape) at += 2;
  }
  return bytes.subarray(0, length);
};
