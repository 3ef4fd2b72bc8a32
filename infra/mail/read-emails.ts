/** Reads an email or an mbox from a stream. */
import { readEmailHeader } from "../../lib/email/header-block.ts";
import { maximumRawBytes } from "../../lib/messages/write/draft-message.ts";
import { type ByteWindow, windowOn } from "./byte-window.ts";
import { fromLineAt, isFirst } from "./from-line.ts";
import { kindOf, rejectNoEmail } from "./recognise-file.ts";
import { splitMbox } from "./split-mbox.ts";

/**
 * `raw` is empty if the email is too large to be stored; `bytes` says how large it is. `doubt` says why nobody can tell
 * where the email starts or ends.
 */
export type Email = { raw: Buffer; bytes: number; isOfMbox: boolean; doubt?: string };

/** Collects the chunks of an email, but drops them once the email is too large to be stored. */
export const collector = (isOfMbox: boolean) => {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    isEmpty: (): boolean => bytes === 0,
    add: (piece: Buffer): void => {
      bytes += piece.length;
      if (bytes <= maximumRawBytes) pieces.push(piece);
      else pieces = [];
    },
    take: (doubt?: string): Email => {
      const email = { raw: Buffer.concat(pieces), bytes, isOfMbox };
      return doubt === undefined ? email : { ...email, doubt };
    },
  };
};

/** Apple Mail's .emlx: a line with the email's length, the email, and a property list. */
const emlxLength = /^(\d{1,9})[ \t]*\r?\n(?=[!-9;-~]+:)/;

/** Entourage ended all lines of an mbox with CR, as did other programs of the classic Mac OS. We don't split it. */
const mboxWithoutLf = /^From [^\n]*\rFrom [^\n]*$/;
const doubtOfCr = "it has From lines inside, but its lines end with CR alone. Convert them to LF if it is an mbox";

const oneEmail = async (window: ByteWindow, length = Number.POSITIVE_INFINITY, doubt?: string): Promise<Email> => {
  const email = collector(false);
  let left = length;
  do {
    const piece = window.bytes().subarray(0, left);
    email.add(piece);
    left -= piece.length;
    window.drop(piece.length);
    await window.fill();
  } while (left > 0 && window.bytes().length > 0);
  return email.take(doubt);
};

/** Before an mbox, a byte-order mark and blank lines don't count. */
const beforeMbox = /^(?:\xef\xbb\xbf)?\s*/;

const doubtOfText = "text without any header field is before its From line, and was left out";

/** Returns where an mbox starts after a comment, or after the rest of an email whose start is missing; otherwise -1. */
const afterText = (start: Buffer): number => {
  const at = start.indexOf("\nFrom ") + 1;
  const from = fromLineAt(start, at);
  const isMbox = from?.kind === "usual" && from.isBeforeHeader && kindOf(start) === undefined;
  return isMbox && readEmailHeader(start.subarray(0, at)).length === 0 ? at : -1;
};

/** At least so much is needed to see what a file is. A pipe may send the rest much later. */
const startBytes = 4096;
const maximumStartBytes = 64 * 1024;

/**
 * @param path for the error message
 * @param isListed whether the file was found in a folder, and nobody said that it is an email
 * @throws NoEmailError if the stream is neither an email nor an mbox
 */
export async function* readEmails(stream: AsyncIterable<Buffer>, path = "", isListed = false): AsyncGenerator<Email> {
  const window = windowOn(stream);
  try {
    await window.fill(startBytes);
    const start = window.bytes().toString("latin1", 0, maximumStartBytes);
    const skipped = beforeMbox.exec(start)?.[0].length ?? 0;
    const from = fromLineAt(window.bytes(), skipped);
    const text = afterText(window.bytes().subarray(0, maximumStartBytes));
    const [emlx, length] = emlxLength.exec(start) ?? [];
    if (from && isFirst(from)) {
      window.drop(skipped);
      yield* splitMbox(window, from.kind);
    } else if (text > 0) {
      window.drop(text);
      yield* splitMbox(window, "usual", doubtOfText);
    } else {
      window.drop(emlx?.length ?? 0);
      rejectNoEmail(window.bytes().subarray(0, maximumStartBytes), path, isListed);
      yield await oneEmail(
        window,
        length ? Number(length) : undefined,
        mboxWithoutLf.test(start) ? doubtOfCr : undefined,
      );
    }
  } finally {
    await window.close();
  }
}
