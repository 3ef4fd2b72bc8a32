/** Parses header fields, including those that RFC 5322 forbids but mailers send. */
import { type DecodeCharset, decodeHeaderBytes, joinsWords } from "./charset.ts";

/** `value` is unfolded, and each of its characters is one byte of the email. */
export type HeaderField = { name: string; value: string };

/** `https://example.com` is no header field. Old emails may have blanks before the colon (RFC 5322, section 4.5). */
const fieldStart = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:(?!\/\/)/;

export const fieldOf = (line: string): HeaderField | undefined => {
  const [start, name] = fieldStart.exec(line) ?? [];
  return start && name ? { name, value: line.slice(start.length) } : undefined;
};

/** Reads a field whose name RFC 5322 forbids, such as `Reply To` or `X-Prénom`. */
export const oddFieldOf = (line: string): HeaderField | undefined => {
  const colon = line.slice(0, 80).indexOf(":");
  const name = trimEndBlanks(line.slice(0, Math.max(colon, 0)));
  const isTimeOrUrl = /^(?:\d:\d|.:\/\/)/.test(line.slice(colon - 1));
  const isField = /[a-z\x80-\xff]/i.test(name) && !isBlank(line[0]) && !isTimeOrUrl;
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

/** Matches an encoded word such as `=?utf-8?q?na=C3=AF?=` (RFC 2047, section 2; RFC 2231, section 5). */
const encodedWord = /=\?([^?* \t]*)(?:\*[^? \t]*)?\?([bq])\?([^?]*)\?=/gi;

const plainText = /^[^\x80-\xff=]*$/;

/** Decodes encoded words (RFC 2047), and bytes above 127 (RFC 6532). */
export const decodeHeaderText = (value: string, decode: DecodeCharset): string => {
  if (plainText.test(value)) return value;
  let text = "";
  let end = 0;
  let run: { charset: string; words: Buffer[] } = { charset: "", words: [] };

  const rawText = (part: string) => part && decodeHeaderBytes(Buffer.from(part, "latin1"));
  const endRun = () => {
    if (run.words.length > 0) text += decode(Buffer.concat(run.words), run.charset);
    run = { charset: "", words: [] };
  };

  for (const word of value.matchAll(encodedWord)) {
    const [whole, charset = "", encoding, content = ""] = word;
    const between = value.slice(end, word.index);
    // White space between encoded words is not shown (RFC 2047, section 6.2).
    const adjoins = run.words.length > 0 && trimBlanks(between) === "";
    if (!adjoins || run.charset !== charset.toLowerCase() || !joinsWords(charset)) endRun();
    if (!adjoins) text += rawText(between);
    run.charset = charset.toLowerCase();
    run.words.push(encoding === "b" || encoding === "B" ? Buffer.from(content, "base64") : decodeQ(content));
    end = word.index + whole.length;
  }
  endRun();
  return text + rawText(value.slice(end));
};

const decodeQ = (content: string): Buffer =>
  Buffer.from(decodeEscapes(content.replaceAll("_", " "), /=([0-9a-f]{2})/gi), "latin1");

/** @param pattern for example `/%([0-9a-f]{2})/gi`, which captures the hex digits of `%2F` */
export const decodeEscapes = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
