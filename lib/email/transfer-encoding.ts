/** Undoes a part's Content-Transfer-Encoding (RFC 2045, section 6). */
import { decodeBase64 } from "./base64.ts";
import { cr, lf } from "./lines.ts";

const uuencode = new Set(["x-uuencode", "x-uue", "uuencode", "uue"]);

/** Never throws. A body in an unknown encoding, such as `7bits`, stays as it is. */
export const decodeTransfer = (body: Buffer, encoding: string): Buffer => {
  if (encoding === "base64") return decodeBase64(body);
  if (encoding === "quoted-printable") return decodeQuotedPrintable(body);
  if (uuencode.has(encoding)) return decodeUuencode(body);
  return body;
};

const [equals, space, tab] = [0x3d, 0x20, 0x09];

const isBlank = (byte: number | undefined): boolean => byte === space || byte === tab;

const hexDigits = new Int8Array(256).fill(-1);
for (const digit of "0123456789abcdefABCDEF") hexDigits[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/** Returns the byte of an escape such as `=3D` (RFC 2045, section 6.7), or a negative number if it is none. */
const escapedByte = (text: Buffer, at: number): number =>
  ((hexDigits[text[at + 1] ?? 0] ?? -1) << 4) | (hexDigits[text[at + 2] ?? 0] ?? -1);

/** Writes byte by byte into one buffer: a regular expression would need 60 bytes of memory for each byte. */
const decodeQuotedPrintable = (body: Buffer): Buffer => {
  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  let at = 0;
  while (at < body.length) {
    const byte = body[at] ?? 0;
    const escaped = byte === equals ? escapedByte(body, at) : -1;
    if (escaped >= 0) {
      decoded[length++] = escaped;
      at += 3;
    } else if (byte === equals || isBlank(byte)) {
      let end = at + 1;
      while (isBlank(body[end])) end++;
      if (!endsLine(body[end])) while (at < end) decoded[length++] = body[at++] ?? 0;
      // White space at the end of a line doesn't count, and after a `=`, nor does the line break.
      else at = byte === equals ? afterLineBreak(body, end) : end;
    } else {
      decoded[length++] = byte;
      at++;
    }
  }
  return decoded.subarray(0, length);
};

const afterLineBreak = (body: Buffer, at: number): number => at + (body[at] === cr && body[at + 1] === lf ? 2 : 1);

const beginLine = /^begin [0-7]{3,4} /;

/** Returns where the line after the `begin` line starts, or -1 if there is none. */
const afterBeginLine = (body: Buffer): number => {
  let at = body.indexOf("begin ");
  while (at >= 0 && !(isLineStart(body, at) && beginLine.test(body.toString("latin1", at, at + 12)))) {
    at = body.indexOf("begin ", at + 1);
  }
  if (at < 0) return -1;
  while (!endsLine(body[at])) at++;
  return at < body.length ? afterBreaks(body, at) : -1;
};

const afterBreaks = (body: Buffer, from: number): number => {
  let at = from;
  while (body[at] === cr || body[at] === lf) at++;
  return at;
};

/** In uuencode (POSIX), a `begin` line comes first, and each further line starts with its byte count. */
const decodeUuencode = (body: Buffer): Buffer => {
  let at = afterBeginLine(body);
  if (at < 0) return body;

  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  while (at < body.length && !isEnd(body, at)) {
    const lineEnd = length + sixBits(body[at++]);
    while (length < lineEnd && !endsLine(body[at])) {
      let bits = 0;
      // In uuencode, a blank means zero, but mail servers remove blanks at the end of a line.
      for (let digits = 0; digits < 4; digits++) bits = (bits << 6) | (endsLine(body[at]) ? 0 : sixBits(body[at++]));
      for (const shift of [16, 8, 0]) if (length < lineEnd) decoded[length++] = bits >> shift;
    }
    while (at < body.length && !endsLine(body[at])) at++;
    at = afterBreaks(body, at);
  }
  return decoded.subarray(0, length);
};

const sixBits = (byte = space): number => (byte - space) & 0x3f;

const endsLine = (byte: number | undefined): boolean => byte === undefined || byte === cr || byte === lf;

const isLineStart = (body: Buffer, at: number): boolean => at === 0 || endsLine(body[at - 1]);

const [e, n, d] = [0x65, 0x6e, 0x64];
const isEnd = (body: Buffer, at: number): boolean =>
  body[at] === e && body[at + 1] === n && body[at + 2] === d && endsLine(body[at + 3]);
