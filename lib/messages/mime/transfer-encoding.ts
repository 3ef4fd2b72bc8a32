/** Decodes the body of a part (RFC 2045, section 6). */
import { decodeUuencode } from "./uuencode.ts";

const uuencode = new Set(["x-uuencode", "x-uue", "uuencode", "uue"]);

/** An unknown encoding, such as `7bits`, counts as none. Never throws. */
export const decodeTransfer = (body: Buffer, encoding: string): Buffer => {
  if (encoding === "base64") return decodeBase64(body);
  if (encoding === "quoted-printable") return decodeQuotedPrintable(body);
  if (uuencode.has(encoding)) return decodeUuencode(body);
  return body;
};

const [dash, underscore, space] = [0x2d, 0x5f, 0x20];

/** Node.js would also decode base64url's `-` and `_`. `replaceAll` would need many times the memory of the text. */
const withoutUrlDigits = (text: Buffer): Buffer => {
  if (!text.includes("-") && !text.includes("_")) return text;
  const copy = Buffer.from(text);
  for (let i = 0; i < copy.length; i++) if (copy[i] === dash || copy[i] === underscore) copy[i] = space;
  return copy;
};

/** Decodes up to the first `=`, and skips characters that aren't base64 (RFC 2045, section 6.8). */
const decodeBase64 = (body: Buffer): Buffer => Buffer.from(withoutUrlDigits(body).toString("latin1"), "base64");

/** Matches escapes, soft line breaks, and white space at the end of a line (RFC 2045, section 6.7). */
const quotedPrintable = /((?:=[0-9a-f]{2})+)|=[ \t]*(?:\r\n?|\n|$)|(?<![ \t])[ \t]+(?=[\r\n]|$)/gi;

const decodeQuotedPrintable = (body: Buffer): Buffer => {
  const decodeEscapes = (escapes = "") => Buffer.from(escapes.replaceAll("=", ""), "hex").toString("latin1");
  const text = body.toString("latin1").replace(quotedPrintable, (_, escapes) => decodeEscapes(escapes));
  return Buffer.from(text, "latin1");
};
