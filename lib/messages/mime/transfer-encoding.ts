/** Decodes the body of a part (RFC 2045, section 6). */
import { decodeUuencode } from "./uuencode.ts";

const uuencode = new Set(["x-uuencode", "x-uue", "uuencode", "uue"]);

/** Treats an unknown encoding, such as `7bits`, as no encoding and returns the body unchanged. Never throws. */
export const decodeTransfer = (body: Buffer, encoding: string): Buffer => {
  if (encoding === "base64") return decodeBase64(body);
  if (encoding === "quoted-printable") return decodeQuotedPrintable(body);
  if (uuencode.has(encoding)) return decodeUuencode(body);
  return body;
};

/**
 * Decodes base64 (RFC 2045, section 6.8). Node.js ignores characters outside the base64 alphabet, but would also decode
 * base64url. Text after the first `=` is ignored.
 */
const decodeBase64 = (body: Buffer): Buffer => {
  const padding = body.indexOf("=");
  const text = body.toString("latin1", 0, padding < 0 ? body.length : padding);
  return Buffer.from(text.replaceAll("-", "").replaceAll("_", ""), "base64");
};

/** Matches escapes, soft line breaks, and white space at the end of a line (RFC 2045, section 6.7). */
const quotedPrintable = /((?:=[0-9a-f]{2})+)|=[ \t]*(?:\r\n?|\n|$)|(?<![ \t])[ \t]+(?=[\r\n]|$)/gi;

const decodeQuotedPrintable = (body: Buffer): Buffer => {
  const decodeEscapes = (escapes = "") => Buffer.from(escapes.replaceAll("=", ""), "hex").toString("latin1");
  const text = body.toString("latin1").replace(quotedPrintable, (_, escapes) => decodeEscapes(escapes));
  return Buffer.from(text, "latin1");
};
