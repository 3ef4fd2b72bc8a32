/** Splits an email into the parts of its MIME tree (RFC 2046, section 5.1). */
import { type HeaderField, trimEndBlanks } from "./header.ts";
import { firstLine, maxHeaderBytes, readHeader } from "./header-block.ts";
import { type Email, lineAt, lineBreakBefore, linesOf } from "./lines.ts";
import { contentType, type Structured } from "./parameters.ts";

/** The limit of Postfix (mime_nesting_limit). Real emails have less than ten nested multiparts. */
export const maxNesting = 100;

/** The limit includes multiparts. Digests have hundreds of parts. */
export const maxParts = 10_000;

/** `parent` is the multipart around it, if there is one. */
export type Multipart = { type: string; boundary: string; parent: Multipart | undefined };

/** A part without children. `body` is not decoded. */
export type Leaf = {
  header: HeaderField[];
  contentType: Structured;
  body: Buffer;
  parent: Multipart | undefined;
};

/** Maps the boundary of each multipart to the nesting depth of the multipart. The outermost multipart has depth 0. */
type Depths = ReadonlyMap<string, number>;

/** If two nested multiparts have the same boundary, the boundary belongs to the inner multipart. */
const depthsOf = (multiparts: Multipart[]): Depths =>
  new Map(multiparts.map(({ boundary }, depth) => [boundary, depth]));

/**
 * A delimiter line of a multipart. `closes` is true if the line ends the multipart. `bodyEnd` is the offset at which
 * the text before the delimiter line ends. `next` is the offset of the line after the delimiter line.
 */
type Delimiter = { depth: number; closes: boolean; bodyEnd: number; next: number };

/**
 * Splits an email into its header and its leaves, in document order and in linear time. Returns null if the email
 * exceeds a limit.
 *
 * message/rfc822 is a leaf. A multipart without boundary or without parts is a leaf of type text/plain, so that no text
 * is lost. A multipart without a closing delimiter ends where the enclosing multipart ends.
 */
export const splitEmail = (bytes: Buffer): { header: HeaderField[]; leaves: Leaf[] } | null => {
  const email = linesOf(bytes);
  const leaves: Leaf[] = [];
  const open: Multipart[] = [];
  let depths = depthsOf(open);
  /** Closes the multipart at `depth` and its inner multiparts. */
  const closeFrom = (depth: number) => {
    if (open.length <= depth) return;
    open.length = depth;
    depths = depthsOf(open);
  };
  let header: HeaderField[] | undefined;
  let headerBytes = 0;

  let isInDigest = false;
  let start = firstLine(email);
  for (let parts = 1; parts <= maxParts; parts++) {
    const part = readHeader(email, start, maxHeaderBytes - headerBytes);
    if (!part) return null;
    headerBytes += part.bodyStart - start;
    header ??= part.header;

    const type = contentType(part.header, isInDigest ? "message/rfc822" : "text/plain");
    const isMultipart = type.value.startsWith("multipart/");
    const boundary = isMultipart ? trimEndBlanks(type.parameters.get("boundary")?.bytes ?? "") : "";
    const parent = open.at(-1);
    const depth = boundary ? open.push({ type: type.value, boundary, parent }) - 1 : -1;
    if (depth >= maxNesting) return null;
    if (boundary) depths = depthsOf(open);

    let delimiter = findDelimiter(email, part.bodyStart, depths);
    const body = bytes.subarray(part.bodyStart, delimiter?.bodyEnd);
    const isMadeOfParts = delimiter?.depth === depth && (!delimiter.closes || isBlankText(body));
    const leafType = isMultipart ? { ...type, value: "text/plain" } : type;
    if (!isMadeOfParts) leaves.push({ header: part.header, contentType: leafType, body, parent });

    // Skips the epilogue, which is the text from a closing delimiter to the next delimiter of an enclosing multipart.
    while (delimiter?.closes) {
      closeFrom(delimiter.depth);
      delimiter = findDelimiter(email, delimiter.next, depths);
    }
    if (!delimiter) return { header, leaves };
    closeFrom(delimiter.depth + 1);
    isInDigest = open.at(-1)?.type === "multipart/digest";
    start = delimiter.next;
  }
  return null;
};

const isBlankText = (body: Buffer): boolean => !/\S/.test(body.toString("latin1"));

const findDelimiter = (email: Email, from: number, depths: Depths): Delimiter | undefined => {
  if (depths.size === 0) return undefined;
  const dashes = Buffer.of(email.lineBreak, 0x2d, 0x2d);
  let at = email.bytes.indexOf(dashes, from - 1);
  while (at >= 0) {
    const { line, next } = lineAt(email, at + 1);
    const name = trimEndBlanks(line.slice(2)); // Some mail servers add blanks to a line.
    const opens = depths.get(name) ?? -1;
    const closes = name.endsWith("--") ? (depths.get(name.slice(0, -2)) ?? -1) : -1;
    const depth = Math.max(opens, closes);
    if (depth >= 0) return { depth, closes: closes > opens, bodyEnd: lineBreakBefore(email, at + 1), next };
    at = email.bytes.indexOf(dashes, at + dashes.length);
  }
  return undefined;
};
