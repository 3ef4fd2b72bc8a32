/** The header of an email or of a part: which lines are its fields, and where the body starts. */
import { fieldOf, type HeaderField, isBlank, trimEndBlanks } from "./header.ts";
import { cr, type Email, lf, lineAt, linesOf } from "./lines.ts";

/** The header bytes of all parts together. Mail servers take some 100 KB for a header (Postfix, Exchange). */
export const maxHeaderBytes = 1024 * 1024;

/** RFC 4155. `From : ada@example.com` is a header field. */
const mboxLine = /^>?From (?![ \t]*:)/;

/** The header fields of the email itself; none past the limit. */
export const readEmailHeader = (bytes: Buffer): HeaderField[] => {
  const email = linesOf(bytes);
  return readHeader(email, firstLine(email), maxHeaderBytes)?.header ?? [];
};

/**
 * Returns null where the header has more than `limit` bytes. It ends at an empty line, or at what may be the
 * delimiter of a part; a first line that is no header field is the body's.
 *
 * Some senders leave the empty line out, or put a blank in it; others break a field without indenting its
 * rest. So any other line that is no field ends the header, unless the field before it is unfinished, or
 * another field follows.
 */
export const readHeader = (
  email: Email,
  start: number,
  limit: number,
): { header: HeaderField[]; bodyStart: number } | null => {
  const header: HeaderField[] = [];
  let isUnfinished = false;
  let goesOn: boolean | undefined;
  let at = start;
  while (at < email.bytes.length) {
    const { line, next } = lineAt(email, at);
    if (next - start > limit) return null;
    if (line === "") return { header, bodyStart: next };
    if (line.startsWith("--")) break;

    const field = fieldOf(line);
    const last = header.at(-1);
    const end = trimEndBlanks(line).at(-1);
    if (field) {
      header.push(field);
    } else if (!last) {
      break;
    } else if (!end) {
      goesOn ??= fieldsFollow(email, next, true);
      if (!goesOn || !isOfHeader(lineAt(email, next).line)) return { header, bodyStart: next };
      last.value += line;
    } else if (isBlank(line[0])) {
      last.value += line;
    } else {
      goesOn ??= fieldsFollow(email, next, false);
      if (!isUnfinished && !goesOn) break;
      if (!mboxLine.test(line)) last.value += ` ${line}`;
    }
    // `Content-Type: text/plain;`, `Subject:`
    isUnfinished = end === ";" || end === "," || end === ":";
    at = next;
  }
  return { header, bodyStart: at };
};

const isOfHeader = (line: string): boolean => line === "" || isBlank(line[0]) || fieldOf(line) !== undefined;

/** Whether the last line before the next empty one is of a header field; `isField`: the line before `from` is. */
const fieldsFollow = (email: Email, from: number, isField: boolean): boolean => {
  let at = from;
  while (at < email.bytes.length && at - from < maxHeaderBytes) {
    const { line, next } = lineAt(email, at);
    if (line === "") break;
    if (line.startsWith("--")) return false;
    if (!isBlank(line[0])) isField = fieldOf(line) !== undefined;
    at = next;
  }
  return isField;
};

/** Past what files have in front of an email: a UTF-8 signature, blank lines, the "From " line of an mbox. */
export const firstLine = (email: Email): number => {
  const start = email.bytes.toString("utf8", 0, 3) === "\ufeff" ? 3 : 0;
  let at = start;
  while (isWhiteSpace(email.bytes[at])) at++;
  const { line, next } = lineAt(email, at);
  if (mboxLine.test(line) && fieldOf(lineAt(email, next).line)) return next;
  return fieldOf(line) ? at : start;
};

const isWhiteSpace = (byte: number | undefined): boolean =>
  byte === lf || byte === cr || byte === 0x20 || byte === 0x09;
