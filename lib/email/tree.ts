/** Splits an email into the leaves of its MIME tree (RFC 2046, section 5.1). */
import { type HeaderField, trimEndBlanks } from "./header.ts";
import { firstLine, maxHeaderBytes, readHeader } from "./header-block.ts";
import { cr, type Email, lf, lineAt, linesOf } from "./lines.ts";
import { contentType, type Structured } from "./parameters.ts";

/** Postfix has the same default (mime_nesting_limit); real emails have less than ten levels. */
export const maxNesting = 100;

/** A mailing list's digest can have hundreds of parts. */
export const maxParts = 10_000;

/** `parent` is the enclosing multipart. */
export type Multipart = { type: string; boundary: string; parent: Multipart | undefined };

/** A MIME part without children. Its body is still encoded. */
export type Leaf = { header: HeaderField[]; contentType: Structured; body: Buffer; parent: Multipart | undefined };

/**
 * Returns null if the email exceeds a limit. Takes linear time.
 *
 * A multipart without a boundary or parts becomes a text/plain leaf, so that no text is lost. A multipart without a
 * closing delimiter ends where the enclosing multipart ends.
 */
export const splitEmail = (bytes: Buffer): { header: HeaderField[]; leaves: Leaf[] } | null => {
  const email = linesOf(bytes);
  const leaves: Leaf[] = [];
  const open: Multipart[] = [];
  let header: HeaderField[] | undefined;
  let headerBytes = 0;
  let start = firstLine(email);
  for (let parts = 1; parts <= maxParts; parts++) {
    const part = readHeader(email, start, maxHeaderBytes - headerBytes);
    if (!part) return null;
    headerBytes += part.bodyStart - start;
    header ??= part.header;

    const parent = open.at(-1);
    const type = contentType(part.header, parent?.type === "multipart/digest" ? "message/rfc822" : "text/plain");
    const isMultipart = type.value.startsWith("multipart/");
    const boundary = isMultipart ? trimEndBlanks(type.parameters.get("boundary")?.bytes ?? "") : "";
    const depth = boundary ? open.push({ type: type.value, boundary, parent }) - 1 : -1;
    if (depth >= maxNesting) return null;

    let delimiter = findDelimiter(email, part.bodyStart, open);
    const body = bytes.subarray(part.bodyStart, delimiter?.bodyEnd);
    const isMadeOfParts = delimiter?.depth === depth && (!delimiter.closes || isBlankText(body));
    const leafType = isMultipart ? { ...type, value: "text/plain" } : type;
    if (!isMadeOfParts) leaves.push({ header: part.header.filter(isOfContent), contentType: leafType, body, parent });

    // RFC 2046 (section 5.1.1) tells us to ignore the text after a closing delimiter.
    while (delimiter?.closes) {
      open.length = delimiter.depth;
      delimiter = findDelimiter(email, delimiter.next, open);
    }
    if (!delimiter) return { header, leaves };
    open.length = delimiter.depth + 1;
    start = delimiter.next;
  }
  return null;
};

/** The other fields of a part mean nothing (RFC 2045, section 3), and 10,000 parts can have many. */
const isOfContent = ({ name }: HeaderField): boolean => /^content-/i.test(name);

const isBlankText = (body: Buffer): boolean =>
  body.every((byte) => byte === 0xa0 || byte === 0x20 || (byte >= 9 && byte <= 13));

/** The outermost multipart has depth 0. */
const findDelimiter = ({ bytes, lineBreak }: Email, from: number, open: readonly Multipart[]) => {
  if (open.length === 0) return undefined;
  // If nested multiparts share a boundary, each delimiter belongs to the innermost.
  const depths = new Map(open.map(({ boundary }, depth) => [boundary, depth]));
  const dashes = Buffer.of(lineBreak, 0x2d, 0x2d);
  let at = bytes.indexOf(dashes, from - 1);
  while (at >= 0) {
    const { line, next } = lineAt({ bytes, lineBreak }, at + 1);
    const name = trimEndBlanks(line.slice(2)); // Some mail servers add blanks to a line.
    const opens = depths.get(name) ?? -1;
    const closes = name.endsWith("--") ? (depths.get(trimEndBlanks(name.slice(0, -2))) ?? -1) : -1;
    const depth = Math.max(opens, closes);
    // The line break before a delimiter belongs to the delimiter, not to the part (RFC 2046, section 5.1.1).
    const bodyEnd = lineBreak === lf && bytes[at - 1] === cr ? at - 1 : at;
    if (depth >= 0) return { depth, closes: closes > opens, bodyEnd, next };
    at = bytes.indexOf(dashes, at + dashes.length);
  }
  return undefined;
};
