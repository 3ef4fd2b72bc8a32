/** Splits an mbox into its emails. Only one email at a time is in memory, however long the mbox is. */
import { cr, lf } from "../../lib/email/lines.ts";
import { maximumRawBytes } from "../../lib/messages/write/draft-message.ts";
import type { ByteWindow } from "./byte-window.ts";
import { beginsEmail, blankLineBefore, type FromKind, fromLineAt, isFirst, longestLine } from "./from-line.ts";
import { collector, type Email } from "./read-emails.ts";

/** What an operator has to know if nobody can tell where an email ends. */
const doubts = {
  counted: "it has From lines inside, which are text according to its Content-Length, but could begin other emails",
  joined: "no blank line is before its From line, so it could be text of the email before it",
  undated: "it has a From line without a date inside, which could begin another email",
};

/** Where the email at the start of the window ends, and where the next one's From line starts. */
type End = { end: number; next: number; doubt?: string | undefined };

type Mbox = {
  first: FromKind;
  /** Whether a blank line is before the From lines, as far as we know. */
  hasBlankLines?: boolean;
  /** In an mboxcl2, From lines aren't quoted, because each email has a Content-Length. */
  isCounted?: boolean;
};

/** Finds the next From line. If the window ends too early to decide, `undecided` is the offset that we got to. */
const findEnd = (
  bytes: Buffer,
  isLast: boolean,
  isStart: boolean,
  mbox: Mbox,
): { end?: End; undecided: number; hasUndated: boolean } => {
  let hasUndated = false;
  let at = bytes.indexOf("\nFrom");
  while (at >= 0) {
    const start = at + 1;
    if (!isLast && bytes.length - start < 2 * longestLine) return { undecided: at, hasUndated };
    const line = fromLineAt(bytes, start);
    const blank = blankLineBefore(bytes, start, isStart);
    if (line && beginsEmail(line, mbox.first, blank !== null)) {
      return { end: { end: blank ?? start, next: start }, undecided: at, hasUndated };
    }
    hasUndated ||= line?.kind === "undated" && line.isBeforeHeader && blank !== null;
    at = bytes.indexOf("\nFrom", start);
  }
  return { undecided: bytes.length - "\nFrom".length, hasUndated };
};

const contentLength = /^content-length[ \t]*:[ \t]*(\d{1,8})[ \t]*\r?$/gim;
const longestHeader = 64 * 1024;

/** Returns -1 if the header is too long, or no blank line follows it. */
const findBody = async (window: ByteWindow): Promise<number> => {
  for (;;) {
    const start = window.bytes().subarray(0, longestHeader);
    const blankLine = start[start.indexOf(lf) - 1] === cr ? "\r\n\r\n" : "\n\n";
    const blank = start.indexOf(blankLine);
    if (blank >= 0) return blank + blankLine.length;
    if (window.isLast() || start.length === longestHeader) return -1;
    await window.fill();
  }
};

/**
 * A Content-Length counts only if it ends exactly at a From line or at the end of the file, because senders write
 * headers, too, and a change of line ends makes it wrong.
 */
const countedEnd = async (window: ByteWindow, mbox: Mbox): Promise<End | undefined> => {
  const body = await findBody(window);
  const lengths = [...window.bytes().toString("latin1", 0, Math.max(body, 0)).matchAll(contentLength)];
  const length = Number(lengths[0]?.[1]);
  if (lengths.length !== 1 || !(length > 0 && length <= maximumRawBytes)) return undefined;

  const end = body + length;
  await window.fill(end + 3 * longestLine);
  const bytes = window.bytes();
  if (end > bytes.length) return undefined;
  let next = end;
  for (let breaks = 0; breaks < 2; breaks++) {
    if (bytes[next] === cr && bytes[next + 1] === lf) next += 2;
    else if (bytes[next] === lf) next++;
  }
  const line = fromLineAt(bytes, next);
  const isExact = next === bytes.length || (bytes[next - 1] === lf && line && isFirst(line));
  if (!isExact) return undefined;
  const hides = findEnd(bytes.subarray(0, end), true, true, mbox).end !== undefined;
  mbox.isCounted ||= hides;
  return { end, next, doubt: hides ? doubts.counted : undefined };
};

/** Undoes the `>` of mboxrd without a regular expression, which would need 60 bytes of memory for each byte. */
const unquoted = (raw: Buffer): Buffer => {
  if (!raw.includes(">From ")) return raw;
  const copy = Buffer.allocUnsafe(raw.length);
  let length = 0;
  for (let at = 0; at < raw.length; at++) {
    if (raw[at] === 0x3e && (at === 0 || raw[at - 1] === lf)) {
      let end = at;
      while (raw[end] === 0x3e) end++;
      if (raw.toString("latin1", end, end + 5) === "From ") at++;
    }
    copy[length++] = raw[at] ?? 0;
  }
  return copy.subarray(0, length);
};

/**
 * @param window starts with a From line of the kind `first`
 * @param doubtOfFirst what an operator has to know about the first email
 */
export async function* splitMbox(window: ByteWindow, first: FromKind, doubtOfFirst?: string): AsyncGenerator<Email> {
  const mbox: Mbox = { first };
  let doubtOfNext = doubtOfFirst;
  do {
    window.drop(fromLineAt(window.bytes(), 0)?.next ?? 0);
    const email = collector(true);
    let doubt = doubtOfNext;
    doubtOfNext = undefined;
    const counted = await countedEnd(window, mbox);
    let found = counted;
    while (!found) {
      const bytes = window.bytes();
      const { end, undecided, hasUndated } = findEnd(bytes, window.isLast(), email.isEmpty(), mbox);
      if (hasUndated) doubt ??= doubts.undated;
      if (end) found = end;
      else if (window.isLast())
        found = { end: blankLineBefore(bytes, bytes.length, false) ?? bytes.length, next: bytes.length };
      else {
        // The blank line before a From line may begin in this chunk and end in the next.
        const sure = Math.max(0, undecided - "\n\r".length);
        email.add(bytes.subarray(0, sure));
        window.drop(sure);
        await window.fill();
      }
      if (end) {
        const isBlank = end.end < end.next;
        mbox.hasBlankLines ??= isBlank;
        if (mbox.hasBlankLines && !isBlank) doubtOfNext = doubts.joined;
      }
    }
    email.add(window.bytes().subarray(0, found.end));
    window.drop(found.next);
    await window.fill(2 * longestLine);
    const taken = email.take(counted?.doubt ?? doubt);
    yield counted && mbox.isCounted ? taken : { ...taken, raw: unquoted(taken.raw) };
  } while (window.bytes().length > 0);
}
