/** Reads the header of an email or of a part, and finds where the body starts. */
import { fieldOf, type HeaderField, isBlank, oddFieldOf, trimEndBlanks } from "./header.ts";
import { cr, type Email, lf, lineAt, linesOf } from "./lines.ts";
import { transferEncoding } from "./parameters.ts";

/** The headers of an email may take up to 1 MiB in total. Postfix and Exchange accept about 100 KB for one header. */
export const maxHeaderBytes = 1024 * 1024;

/** Joining the lines of a folded field in groups takes less memory than one by one. */
const joinedLines = 1000;

/** Matches the `From ` line of an mbox (RFC 4155), but not the header field `From : ada@example.com`. */
const mboxLine = /^>?From (?![ \t]*:)/;

const base64Line = /^[A-Za-z0-9+/]+={0,2}[ \t]*$/;

/** A header of 1 MiB could have 350,000 fields; real emails have less than 200. */
export const maxHeaderFields = 10_000;

/** If the header exceeds 1 MiB or 10,000 fields, returns no header fields. */
export const readEmailHeader = (raw: Uint8Array): HeaderField[] => {
  const email = linesOf(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  return readHeader(email, firstLine(email), maxHeaderBytes)?.header ?? [];
};

/**
 * Returns null if the header has more than `limit` bytes or too many fields.
 *
 * Some mailers omit the empty line after the header, don't indent continuation lines, or use invalid field names. Some
 * lines could belong to the header or to the body, and only the lines after them tell which.
 */
export const readHeader = (email: Email, start: number, limit: number) => {
  const header: HeaderField[] = [];
  const lines: string[] = [];
  const endField = (): HeaderField[] => {
    const last = header.at(-1);
    if (last) last.value += lines.join("");
    lines.length = 0;
    return header;
  };
  const append = (text: string): void => {
    if (lines.push(text) === joinedLines) endField();
  };
  let isUnfinished = false;
  let ahead: ReturnType<typeof linesAhead> | undefined;
  let at = start;
  while (at < email.bytes.length) {
    const { line, next } = lineAt(email, at);
    if (next - start > limit || header.length > maxHeaderFields) return null;
    if (line === "") return { header: endField(), bodyStart: next };
    if (line.startsWith("--")) break;

    const isFirst = header.length === 0;
    const end = trimEndBlanks(line).at(-1);
    const field = fieldOf(line);
    // A line such as `boundary="a b: c"` has a colon, but continues the header field before it.
    const odd = isUnfinished && /["=]/.test(line) ? undefined : oddFieldOf(line);
    if (field) {
      endField().push(field);
    } else if (isFirst && !odd) {
      break;
    } else if (end && isBlank(line[0])) {
      append(line);
    } else {
      ahead ??= linesAhead(email, at, endField());
      const { continues, lastText } = ahead;
      const isUnbroken = lastText < at;
      if (odd && (isFirst ? continues && isUnbroken : continues || isUnbroken)) {
        endField().push(odd);
      } else if (!end) {
        const isOfField = (continues || isUnbroken) && isOfHeader(lineAt(email, next).line);
        if (!isOfField) return { header: endField(), bodyStart: next };
        append(line);
      } else if (!isFirst && (continues || isUnfinished)) {
        if (!mboxLine.test(line)) append(` ${line}`);
      } else {
        break;
      }
    }
    // Some mailers break a field after a `;` and forget to indent the next line.
    isUnfinished = end === ";" || end === "," || end === ":";
    at = next;
  }
  return { header: endField(), bodyStart: at };
};

const isOfHeader = (line: string): boolean => line === "" || isBlank(line[0]) || fieldOf(line) !== undefined;

/**
 * Looks ahead to the next empty line or delimiter, only once per header, because once per line would take quadratic
 * time. `lastText` is the offset of the last line that looks like body text. `continues` tells whether the header goes
 * on after that line.
 */
const linesAhead = (email: Email, from: number, header: HeaderField[]) => {
  let lastField = -1;
  let lastOddField = -1;
  let lastText = -1;
  let at = from;
  while (at < email.bytes.length && at - from < maxHeaderBytes) {
    const { line, next } = lineAt(email, at);
    if (line.startsWith("--")) return { continues: false, lastText: Number.POSITIVE_INFINITY };
    const following = trimEndBlanks(line) === "" ? lineAt(email, next).line : undefined;
    if (following !== undefined && (line === "" || !isOfHeader(following))) {
      const isBeforeBase64 =
        transferEncoding(header) === "base64" &&
        (base64Line.test(following) || !base64Line.test(lineAt(email, from).line));
      return { continues: lastField > lastText || isBeforeBase64, lastText };
    }
    if (fieldOf(line)) lastField = at;
    else if (oddFieldOf(line)) lastOddField = at;
    else if (!isBlank(line[0])) lastText = at;
    at = next;
  }
  // If no empty line follows the header, a line such as `Dear Ada: …` counts as body text.
  lastText = Math.max(lastText, lastOddField);
  return { continues: lastField > lastText, lastText };
};

/** Skips a byte-order mark, blank lines, and the `From ` lines of an mbox before an email. */
export const firstLine = (email: Email): number => {
  const start = email.bytes.toString("utf8", 0, 3) === "\ufeff" ? 3 : 0;
  let at = start;
  while (isWhiteSpace(email.bytes[at])) at++;
  let { line, next } = lineAt(email, at);
  while (mboxLine.test(line)) {
    at = next;
    ({ line, next } = lineAt(email, at));
  }
  if (fieldOf(line)) return at;
  const { continues, lastText } = linesAhead(email, at, []);
  if (!continues) return start;
  if (lastText < at) return oddFieldOf(line) ? at : start;
  return afterJunk(email, lastText) ?? start;
};

/** Fields that occur in emails; other text has lines such as `Note: …`. */
export const usualField =
  /^(?:from|sender|reply-to|to|cc|bcc|date|subject|received|message-id|return-path|(?:x-)?envelope-to|delivered-to|x-original-to|mime-version|resent-.*)$/i;

/** Junk such as the end of a field that was cut off is skipped if at least two usual fields follow. */
const afterJunk = (email: Email, junk: number): number | undefined => {
  let start: number | undefined;
  let usual = 0;
  let { line, next: at } = lineAt(email, junk);
  do {
    const lineStart = at;
    ({ line, next: at } = lineAt(email, at));
    const name = fieldOf(line)?.name;
    if (name) start ??= lineStart;
    if (name && usualField.test(name)) usual++;
  } while (line !== "" && usual < 2);
  return usual < 2 ? undefined : start;
};

const isWhiteSpace = (byte: number | undefined): boolean =>
  byte === lf || byte === cr || byte === 0x20 || byte === 0x09;
