/** uuencode (POSIX), which mailers used before base64. */
import { cr, lf } from "./lines.ts";

const space = 0x20;

const beginLine = /^begin [0-7]{3,4} [^\r\n]*[\r\n]+/m;

/** Each line starts with its byte count. A body without a `begin` line stays as it is. Never throws. */
export const decodeUuencode = (body: Buffer): Buffer => {
  const begin = beginLine.exec(body.toString("latin1"));
  if (!begin) return body;

  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  let at = begin.index + begin[0].length;
  while (at < body.length && !isEnd(body, at)) {
    const lineEnd = length + sixBits(body[at++]);
    while (length < lineEnd && !endsLine(body[at])) {
      let bits = 0;
      // Mail servers remove blanks at the end of a line, and a blank stands for zero.
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
