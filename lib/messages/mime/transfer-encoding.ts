/** Decodes the body of a part (RFC 2045, section 6). */
import { decodeUuencode } from "./uuencode.ts";

const uuencode = new Set(["x-uuencode", "x-uue", "uuencode", "uue"]);

/** Treats an unknown encoding, such as `7bits`, as no encoding and returns the body unchanged. Never throws. */
export const decodeTransfer = (body: Buffer, encoding: string): Buffer => {
  if (encoding === "base64") return Buffer.from(onlyBase64(body).toString("latin1"), "base64");
  if (encoding === "quoted-printable") return decodeQuotedPrintable(body);
  if (uuencode.has(encoding)) return decodeUuencode(body);
  return body;
};

/** Returns the body as base64 without line breaks. Does not decode a body that is already base64. */
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

const equalsSign = 0x3d;

/** Removes characters outside the base64 alphabet, and ends at `=` (RFC 2045, section 6.8). */
const onlyBase64 = (body: Buffer): Buffer => {
  const digits = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] as number;
    if (base64Alphabet[byte] === 1) digits[length++] = byte;
    else if (byte === equalsSign) break;
  }
  return digits.subarray(0, length);
};

/** Matches escapes, soft line breaks, and white space at the end of a line (RFC 2045, section 6.7). */
const quotedPrintable = /((?:=[0-9a-f]{2})+)|=[ \t]*(?:\r\n?|\n|$)|(?<![ \t])[ \t]+(?=[\r\n]|$)/gi;

const decodeQuotedPrintable = (body: Buffer): Buffer => {
  const decodeEscapes = (escapes = "") => Buffer.from(escapes.replaceAll("=", ""), "hex").toString("latin1");
  const text = body.toString("latin1").replace(quotedPrintable, (_, escapes) => decodeEscapes(escapes));
  return Buffer.from(text, "latin1");
};
