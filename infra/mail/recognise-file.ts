/** Tells emails and mboxes from other files by their first bytes, because names say little. */
import { basename } from "node:path";
import { readEmailHeader, usualField } from "../../lib/email/header-block.ts";

/** A file that is no email and no mbox. The message says what it is. */
export class NoEmailError extends Error {
  override readonly name = "NoEmailError";
}

const utf16 = "it is text in UTF-16. Save it as UTF-8";

/** What files begin with that lie beside emails, in latin1, and what to do with them. */
const signatures: [start: string, kind: string][] = [
  ["\x1f\x8b", "it is compressed with gzip. Unpack it first"],
  ["PK\x03\x04", "it is a zip archive. Unpack it first"],
  ["BZh", "it is compressed with bzip2. Unpack it first"],
  ["\xfd7zXZ\0", "it is compressed with xz. Unpack it first"],
  ["\x28\xb5\x2f\xfd", "it is compressed with zstd. Unpack it first"],
  ["7z\xbc\xaf\x27\x1c", "it is a 7z archive. Unpack it first"],
  ["Rar!\x1a\x07", "it is a rar archive. Unpack it first"],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is an OLE file such as Outlook's .msg. Save it as .eml"],
  ["!BDN", "it is an Outlook data file (.pst). Export it as mbox"],
  ["\xcf\xad\x12\xfe", "it is an Outlook Express folder (.dbx). Export it as .eml"],
  ["\x78\x9f\x3e\x22", "it is a TNEF file (winmail.dat)"],
  ["\xff\xfe", utf16],
  ["\xfe\xff", utf16],
  ["*mbx*", "it is a mailbox of UW IMAP (mbx). Export it as mbox"],
  ["\x01\x01\x01\x01", "it is a mailbox in the format MMDF. Export it as mbox"],
  ["BABYL OPTIONS:", "it is a mailbox in the format Babyl. Export it as mbox"],
  ["BEGIN:VCARD", "it is an address book (vCard)"],
  ["BEGIN:VCALENDAR", "it is a calendar (iCalendar)"],
  ["SQLite format 3\0", "it is an SQLite database"],
  ["%PDF-", "it is a PDF"],
];

export const kindOf = (start: Buffer): string | undefined => {
  const text = start.toString("latin1", 0, 512);
  if (text === "") return "it is empty";
  if (text.startsWith("ustar", 257)) return "it is a tar archive. Unpack it first";
  if ([0, 1].some((first) => start[first] === 0 && start[first + 2] === 0 && start[1 - first])) return utf16;
  if (/^\s*(?:\/\/ )?<!--/.test(text)) return "it is HTML, or an index of Thunderbird (.msf)";
  if (/^\s*(?:\{\s*"|\[\s*[{"])/.test(text)) return "it is JSON";
  return signatures.find(([signature]) => text.startsWith(signature))?.[1];
};

const names: Record<string, string> = { table_of_contents: "it is an index of Apple Mail" };

/**
 * @param start the first bytes of the file
 * @param isListed whether the file was found in a folder, and nobody said that it is an email
 * @throws NoEmailError if the file is neither an email nor an mbox
 */
export const rejectNoEmail = (start: Buffer, path: string, isListed: boolean): void => {
  const kind = kindOf(start);
  const header = kind === undefined ? readEmailHeader(start) : [];
  const isEmail = header.some(({ name }) => !isListed || usualField.test(name));
  if (isEmail) return;
  const reason = kind ?? names[basename(path)] ?? "it has no header field of an email";
  throw new NoEmailError(`no email and no mbox: ${reason}`);
};
