/** Decodes base64 as mailers write it: with line breaks, other characters, and padding in the middle. */
import { cr, lf } from "./lines.ts";

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The value of each byte that is a digit of base64; -1 for the others. */
export const base64Digits = new Int8Array(256).fill(-1);
for (const [value, digit] of Buffer.from(digits).entries()) base64Digits[digit] = value;

const [dash, underscore, space, tab, equals] = [0x2d, 0x5f, 0x20, 0x09, 0x3d];

/** Skips characters that aren't base64, as RFC 2045 (section 6.8) requires. */
export const decodeBase64 = (body: Buffer): Buffer => {
  const padding = body.indexOf(equals);
  return padding >= 0 && lineAfter(body, padding) ? decodeChunks(body) : decodeChunk(body);
};

/** Node.js is fast, but it stops at padding, and would decode `-` and `_` as base64url, which mail doesn't use. */
const decodeChunk = (text: Buffer): Buffer => Buffer.from(withoutUrlDigits(text).toString("latin1"), "base64");

/** `replaceAll` would need more memory. */
const withoutUrlDigits = (text: Buffer): Buffer => {
  if (!text.includes("-") && !text.includes("_")) return text;
  const copy = Buffer.from(text);
  for (let i = 0; i < copy.length; i++) if (copy[i] === dash || copy[i] === underscore) copy[i] = space;
  return copy;
};

/** A footer may be one word, such as "Regards". */
const longestWord = 30;

const isDigit = (byte = 0): boolean => (base64Digits[byte] ?? -1) >= 0;
const isBlank = (byte: number | undefined): boolean => byte === space || byte === tab;

/**
 * Some mailers encode each line for itself, so base64 can go on after padding. Returns the next line, or the rest of
 * this one, if it is base64 as a whole, because a mailing list may have added a footer.
 */
const lineAfter = (body: Buffer, padding: number): { start: number; end: number } | undefined => {
  let start = padding;
  while (body[start] === equals || isBlank(body[start]) || body[start] === cr || body[start] === lf) start++;
  let end = start;
  while (isDigit(body[end]) || body[end] === equals) end++;
  let after = end;
  while (isBlank(body[after])) after++;
  const isWhole = after === body.length || body[after] === cr || body[after] === lf;
  const isBase64 = (end - start) % 4 === 0 || end - start > longestWord;
  return isWhole && end > start && isBase64 ? { start, end } : undefined;
};

const decodeChunks = (body: Buffer): Buffer => {
  const decoded = Buffer.allocUnsafe(Math.ceil((body.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let count = 0;
  let knownEnd = 0;
  const endChunk = (): void => {
    for (let shift = count * 6 - 8; shift >= 0; shift -= 8) decoded[length++] = bits >> shift;
    bits = 0;
    count = 0;
  };
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0;
    const digit = base64Digits[byte] ?? -1;
    if (digit >= 0) {
      bits = (bits << 6) | digit;
      count++;
    }
    if (count === 4 || byte === equals) endChunk();
    if (byte !== equals || at < knownEnd) continue;
    const line = lineAfter(body, at);
    if (!line) break;
    knownEnd = line.end;
    at = line.start - 1;
  }
  endChunk();
  return decoded.subarray(0, length);
};
