/** The MIME tree (RFC 2046, section 5.1): where each part of an email starts and ends. */
import { addHeaderLine, type HeaderField, startsField, trimEndBlanks } from "./header.ts";
import { contentType, type Structured } from "./parameters.ts";

/** Postfix stops at 100 levels too (mime_nesting_limit); real mail stays below ten. */
export const maxNesting = 100;

/** Multiparts count too. Digests hold hundreds of parts; each one costs what its header costs to read. */
export const maxParts = 10_000;

/** The header bytes of all parts together. Mail servers take some 100 KB for a header (Postfix, Exchange). */
export const maxHeaderBytes = 1024 * 1024;

/** A part without children. `body` is a view of the email, still encoded. */
export type Leaf = { header: HeaderField[]; contentType: Structured; body: Buffer };

/** `lineBreak` is LF, which a CR may precede; in an email without a single LF it is CR, as on classic Mac OS. */
type Email = { bytes: Buffer; lineBreak: number };

/** Where a line that starts or closes a part leads; `depth` is that of its multipart. */
type Delimiter = { depth: number; closes: boolean; bodyEnd: number; next: number };

const lf = 0x0a;
const cr = 0x0d;

/**
 * Splits an email into its header and its leaves, in document order: one pass, linear in time. Null past the
 * limits above.
 *
 * message/rfc822 is a leaf. So is a multipart that names no boundary or doesn't have it in its body: it is
 * read as text/plain, so that nothing is lost that a person might read. A part that is never closed ends
 * with the multipart around it.
 */
export const splitEmail = (bytes: Buffer): { header: HeaderField[]; leaves: Leaf[] } | null => {
  const email = linesOf(bytes);
  const leaves: Leaf[] = [];
  const open: string[] = [];
  let header: HeaderField[] | undefined;
  let headerBytes = 0;

  let start = firstLine(email);
  for (let parts = 1; parts <= maxParts; parts++) {
    const part = readHeader(email, start, depthsOf(open));
    if (part) headerBytes += part.bodyStart - start;
    if (!part || headerBytes > maxHeaderBytes) return null;
    header ??= part.header;

    const type = contentType(part.header);
    const isMultipart = type.value.startsWith("multipart/");
    const boundary = isMultipart ? trimEndBlanks(type.parameters.get("boundary")?.bytes ?? "") : "";
    if (boundary) open.push(boundary);
    if (open.length > maxNesting) return null;

    let delimiter = findDelimiter(email, part.bodyStart, open);
    const hasChildren = boundary !== "" && delimiter?.depth === open.length - 1;
    if (!hasChildren) {
      const body = bytes.subarray(part.bodyStart, delimiter?.bodyEnd);
      leaves.push({
        header: part.header,
        contentType: isMultipart ? { ...type, value: "text/plain" } : type,
        body,
      });
    }

    // What follows a closed multipart is its epilogue, up to the next part of one around it.
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

/** The header fields of the email itself; none past the limit. */
export const readEmailHeader = (bytes: Buffer): HeaderField[] => {
  const email = linesOf(bytes);
  return readHeader(email, firstLine(email), new Map())?.header ?? [];
};

/** A header ends at an empty line or a delimiter; a first line that is no header field is the body's. */
const readHeader = (email: Email, start: number, depths: Map<string, number>) => {
  const header: HeaderField[] = [];
  let at = start;
  while (at < email.bytes.length) {
    const { line, next } = lineAt(email, at);
    if (line === "") return { header, bodyStart: next };
    if (at === start && !startsField(line)) break;
    if (next - start > maxHeaderBytes) return null;
    if (delimiterAt(email, at, depths)) break;
    addHeaderLine(header, line);
    at = next;
  }
  return { header, bodyStart: at };
};

const findDelimiter = (email: Email, from: number, open: readonly string[]): Delimiter | undefined => {
  if (open.length === 0) return undefined;
  const depths = depthsOf(open);
  const dashes = Buffer.from([email.lineBreak, 0x2d, 0x2d]);
  let found = email.bytes.indexOf(dashes, from - 1);
  while (found >= 0) {
    const delimiter = delimiterAt(email, found + 1, depths);
    if (delimiter) return delimiter;
    found = email.bytes.indexOf(dashes, found + dashes.length);
  }
  return undefined;
};

/** The line break before a delimiter belongs to it, not to the body (RFC 2046, section 5.1.1). */
const delimiterAt = (email: Email, start: number, depths: Map<string, number>): Delimiter | undefined => {
  const { line, next } = lineAt(email, start);
  if (!line.startsWith("--")) return undefined;
  const name = trimEndBlanks(line.slice(2)); // transport may have padded the line
  const opens = depths.get(name) ?? -1;
  const closes = name.endsWith("--") ? (depths.get(name.slice(0, -2)) ?? -1) : -1;
  const depth = Math.max(opens, closes);
  if (depth < 0) return undefined;
  const isCrLf = email.lineBreak === lf && email.bytes[start - 2] === cr;
  return { depth, closes: closes > opens, bodyEnd: start - (isCrLf ? 2 : 1), next };
};

/** Of two multiparts with the same boundary, the inner one has it. */
const depthsOf = (open: readonly string[]): Map<string, number> =>
  new Map(open.map((boundary, depth) => [boundary, depth]));

const linesOf = (bytes: Buffer): Email => {
  return { bytes, lineBreak: bytes.includes(lf) ? lf : cr };
};

const lineAt = ({ bytes, lineBreak }: Email, start: number): { line: string; next: number } => {
  const found = bytes.indexOf(lineBreak, start);
  const next = found < 0 ? bytes.length : found + 1;
  let end = found < 0 ? bytes.length : found;
  while (end > start && bytes[end - 1] === cr) end--;
  return { line: bytes.toString("latin1", start, end), next };
};

/** Past what files have in front of an email: a UTF-8 signature, the "From " line of an mbox (RFC 4155). */
const firstLine = (email: Email): number => {
  const start = email.bytes.toString("utf8", 0, 3) === "\ufeff" ? 3 : 0;
  const { line, next } = lineAt(email, start);
  const isMbox = /^>?From /.test(line) && startsField(lineAt(email, next).line);
  return isMbox ? next : start;
};
