/** Decodes the body of a part (RFC 2045, section 6). */
import { decodeUuencode } from "./uuencode.ts";

const uuencode = new Set(["x-uuencode", "x-uue", "uuencode", "uue"]);

/**
 * Decodes a body. Returns the body itself if the encoding is unknown, because mailers write `utf-8` or `7bits` as an
 * encoding. Decodes malformed input as far as possible. Never throws. Linear in time.
 */
export const decodeTransfer = (body: Buffer, encoding: string): Buffer => {
  if (encoding === "base64") return Buffer.from(onlyBase64(body).toString("latin1"), "base64");
  if (encoding === "quoted-printable") return decodeQuotedPrintable(body);
  if (uuencode.has(encoding)) return decodeUuencode(body);
  return body;
};

/** Returns the decoded body as base64 without line breaks. Does not decode a body that is already base64. */
export const transferToBase64 = (body: Buffer, encoding: string): string => {
  if (encoding !== "base64") return decodeTransfer(body, encoding).toString("base64");

  const digits = onlyBase64(body).toString("latin1");
  const whole = digits.length - (digits.length % 4);
  return digits.slice(0, whole) + Buffer.from(digits.slice(whole), "base64").toString("base64");
};

const base64Alphabet = new Uint8Array(256);
for (const digit of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
  base64Alphabet[digit.charCodeAt(0)] = 1;
}

/** Removes other characters, and ends at `=` (RFC 2045, section 6.8). */
const onlyBase64 = (body: Buffer): Buffer => {
  const digits = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] as number;
    if (base64Alphabet[byte] === 1) digits[length++] = byte;
    else if (byte === equals) break;
  }
  return digits.subarray(0, length);
};

const tab = 0x09;
const lf = 0x0a;
const cr = 0x0d;
const space = 0x20;
const equals = 0x3d;

/** Removes white space at the end of a line (RFC 2045, section 6.7). Keeps an `=` without two digits. */
const decodeQuotedPrintable = (body: Buffer): Buffer => {
  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  let i = 0;
  while (i < body.length) {
    const byte = body[i] as number;
    if (byte === equals) {
      const value = hexPair(body, i + 1);
      const lineEnd = afterBlanks(body, i + 1);
      if (value >= 0) {
        decoded[length++] = value;
        i += 3;
      } else if (endsLine(body, lineEnd)) {
        i = afterLineBreak(body, lineEnd);
      } else {
        decoded[length++] = byte;
        i++;
      }
    } else if (byte === space || byte === tab) {
      const end = afterBlanks(body, i);
      if (!endsLine(body, end)) length += body.copy(decoded, length, i, end);
      i = end;
    } else {
      decoded[length++] = byte;
      i++;
    }
  }
  return decoded.subarray(0, length);
};

const hexPair = (body: Buffer, at: number): number => {
  const high = hexDigit(body[at]);
  const low = hexDigit(body[at + 1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
};

const hexDigit = (byte = 0): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

const afterBlanks = (body: Buffer, from: number): number => {
  let at = from;
  while (body[at] === space || body[at] === tab) at++;
  return at;
};

const endsLine = (body: Buffer, at: number): boolean =>
  at >= body.length || body[at] === lf || body[at] === cr;

const afterLineBreak = (body: Buffer, at: number): number =>
  body[at] === cr && body[at + 1] === lf ? at + 2 : at + 1;
