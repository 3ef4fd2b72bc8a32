/** Undoes a part's Content-Transfer-Encoding (RFC 2045, section 6). */
import { cr, lf } from "./lines.ts";

const uuencode = new Set(["x-uuencode", "x-uue", "uuencode", "uue"]);

/** Never throws. A body in an unknown encoding, such as `7bits`, stays as it is. */
export const decodeTransfer = (body: Buffer, encoding: string): Buffer => {
  if (encoding === "base64") return decodeBase64(body);
  if (encoding === "quoted-printable") return decodeQuotedPrintable(body);
  if (uuencode.has(encoding)) return decodeUuencode(body);
  return body;
};

const [dash, underscore, space] = [0x2d, 0x5f, 0x20];

/** Node.js would decode `-` and `_` as base64url, which mail doesn't use. `replaceAll` would need more memory. */
const withoutUrlDigits = (text: Buffer): Buffer => {
  if (!text.includes("-") && !text.includes("_")) return text;
  const copy = Buffer.from(text);
  for (let i = 0; i < copy.length; i++) if (copy[i] === dash || copy[i] === underscore) copy[i] = space;
  return copy;
};

/** Node.js skips characters that aren't base64, as RFC 2045 (section 6.8) requires. */
const decodeBase64 = (body: Buffer): Buffer => Buffer.from(withoutUrlDigits(body).toString("latin1"), "base64");

/** Matches escapes such as `=3D`, soft line breaks, and white space at the end of a line (RFC 2045, section 6.7). */
const quotedPrintable = /((?:=[0-9a-f]{2})+)|=[ \t]*(?:\r\n?|\n|$)|(?<![ \t])[ \t]+(?=[\r\n]|$)/gi;

const decodeQuotedPrintable = (body: Buffer): Buffer => {
  const decodeEscapes = (escapes = "") => Buffer.from(escapes.replaceAll("=", ""), "hex").toString("latin1");
  const text = body.toString("latin1").replace(quotedPrintable, (_, escapes) => decodeEscapes(escapes));
  return Buffer.from(text, "latin1");
};

const beginLine = /^begin [0-7]{3,4} [^\r\n]*[\r\n]+/m;

/** In uuencode (POSIX), a `begin` line comes first, and each further line starts with its byte count. */
const decodeUuencode = (body: Buffer): Buffer => {
  const begin = beginLine.exec(body.toString("latin1"));
  if (!begin) return body;

  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  let at = begin.index + begin[0].length;
  while (at < body.length && !isEnd(body, at)) {
    const lineEnd = length + sixBits(body[at++]);
    while (length < lineEnd && !endsLine(body[at])) {
      let bits = 0;
      // In uuencode, a blank means zero, but mail servers remove blanks at the end of a line.
      for (let digits = 0; digits < 4; digits++) bits = (bits << 6) | (endsLine(body[at]) ? 0 : sixBits(body[at++]));
      for (const shift of [16, 8, 0]) if (length < lineEnd) decoded[length++] = bits >> shift;
    }
    while (at < body.length && !endsLine(body[at])) at++;
    while (body[at] === cr || body[at] === lf) at++;
  }
  return decoded.subarray(0, length);
};

const sixBits = (byte = space): number => (byte - space) & 0x3f;

const endsLine = (byte: number | undefined): boolean => byte === undefined || byte === cr || byte === lf;

const isEnd = (body: Buffer, at: number): boolean => /^end[\r\n]*$/.test(body.toString("latin1", at, at + 4));
