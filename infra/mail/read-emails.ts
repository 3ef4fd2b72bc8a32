/**
 * Reads a single email or an mbox from a stream. Only one email at a time is in memory, however long the mbox is.
 *
 *   From ada@example.com Sat Nov 21 15:00:00 2026 ─── a From line begins each email of an mbox (RFC 4155)
 *   >From now on ──────────────────────────────────── quotes the email's own line "From now on" (mboxrd)
 */
import { cr, lf } from "../../lib/email/lines.ts";
import { maximumRawBytes } from "../../lib/messages/write/draft-message.ts";

/** `raw` is empty if the email is too large to be stored; `bytes` says how large it is. */
export type Email = { raw: Buffer; bytes: number; isOfMbox: boolean };

/**
 * In an mbox, the line before each email begins with `From ` and has a time and a year; a line of text such as "From
 * now on" has neither.
 */
const fromLine = /^From .*\b\d{1,2}:\d{2}\b.*\b\d{4}\b/;
/** RFC 5322 limits a line to 998 characters. */
const longestFromLine = 1000;

/** Collects the chunks of an email, but drops them once the email is too large to be stored. */
const collector = (isOfMbox: boolean) => {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    add: (piece: Buffer): void => {
      bytes += piece.length;
      if (bytes <= maximumRawBytes) pieces.push(piece);
      else pieces = [];
    },
    take: (): Email => {
      const email = { raw: Buffer.concat(pieces), bytes, isOfMbox };
      pieces = [];
      bytes = 0;
      return email;
    },
  };
};

/** Returns the start of the line that ends at `at` if that line is blank; otherwise `null`. */
const blankLine = (bytes: Buffer, at: number): number | null => {
  const start = bytes[at - 1] === cr ? at - 1 : at;
  return bytes[start - 1] === lf ? start : null;
};

const isFromLine = (bytes: Buffer, start: number, end: number): boolean =>
  end >= start && end - start < longestFromLine && fromLine.test(bytes.toString("latin1", start, end));

const unquoted = ({ raw, ...email }: Email): Email => {
  if (!raw.includes(">From ")) return { raw, ...email };
  const text = raw.toString("latin1").replaceAll(/(^|\n)>(?=>*From )/g, "$1");
  return { raw: Buffer.from(text, "latin1"), ...email };
};

async function* splitMbox(chunks: AsyncIterable<Buffer>): AsyncGenerator<Email> {
  const email = collector(true);
  let started = false;
  let rest: Buffer = Buffer.from("\n\n"); // Every From line follows a blank line, so we add one at the start.
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let taken = 0;
    let at = bytes.indexOf("\nFrom ");
    while (at >= 0) {
      const end = bytes.indexOf("\n", at + 1);
      if (end < 0 && bytes.length - at < longestFromLine) break; // The rest of the From line is in the next chunk.
      const blank = blankLine(bytes, at);
      if (blank !== null && isFromLine(bytes, at + 1, end)) {
        email.add(bytes.subarray(taken, Math.max(taken, blank)));
        const found = email.take();
        if (started) yield unquoted(found);
        started = true;
        taken = end + 1;
      }
      at = bytes.indexOf("\nFrom ", at + 1);
    }
    // The line that separates two emails may begin in this chunk and end in the next.
    const kept = Math.max(taken, (at < 0 ? bytes.length - "\nFrom ".length : at) - "\n\r".length);
    email.add(bytes.subarray(taken, kept));
    rest = bytes.subarray(kept);
  }
  const end = rest.at(-1) === lf ? blankLine(rest, rest.length - 1) : null;
  email.add(rest.subarray(0, end ?? rest.length));
  yield unquoted(email.take());
}

async function* oneEmail(chunks: AsyncIterable<Buffer>): AsyncGenerator<Email> {
  const email = collector(false);
  for await (const chunk of chunks) email.add(chunk);
  yield email.take();
}

/** Peeks at a stream: returns its first bytes, at least 1,000, and a stream that still contains them. */
const peek = async (stream: AsyncIterable<Buffer>): Promise<[Buffer, AsyncIterable<Buffer>]> => {
  const chunks = stream[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < longestFromLine) {
    const { done, value } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const all = async function* () {
    yield start;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  return [start, all()];
};

/** Removes the `>` that mail programs put before text such as `From now` in an mbox. */
export async function* readEmails(stream: AsyncIterable<Buffer>): AsyncGenerator<Email> {
  const [start, chunks] = await peek(stream);
  const [firstLine = ""] = start.toString("latin1", 0, longestFromLine).split("\n");
  yield* fromLine.test(firstLine) ? splitMbox(chunks) : oneEmail(chunks);
}
