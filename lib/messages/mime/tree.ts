/** Splits an email into the parts of its MIME tree (RFC 2046, section 5.1). */
import { type HeaderField, trimEndBlanks } from "./header.ts";
import { firstLine, maxHeaderBytes, readHeader } from "./header-block.ts";
import { type Email, lineAt, lineBreakBefore, linesOf } from "./lines.ts";
import { contentType, type Structured } from "./parameters.ts";

/** Postfix has the same limit (mime_nesting_limit). Real emails have less than ten nested multiparts. */
export const maxNesting = 100;

/** Multiparts count as parts, too. Digests have hundreds of parts. */
export const maxParts = 10_000;

/** `parent` is the enclosing multipart, if there is one. */
export type Multipart = { type: string; boundary: string; parent: Multipart | undefined };

/** A part without children. Its body is not decoded yet. */
export type Leaf = {
  header: HeaderField[];
  contentType: Structured;
  body: Buffer;
  parent: Multipart | undefined;
};

/** The depth of each open multipart by its boundary; the outermost has 0. */
type Depths = ReadonlyMap<string, number>;

/** If two nested multiparts have the same boundary, it belongs to the inner one. */
const depthsOf = (multiparts: Multipart[]): Depths =>
  new Map(multiparts.map(({ boundary }, depth) => [boundary, depth]));

/** A delimiter line. The text before it ends at `bodyEnd`, and the line after it starts at `next`. */
type Delimiter = { depth: number; closes: boolean; bodyEnd: number; next: number };

/**
 * Splits an email into its header and its leaves, in order and in linear time. Returns null if it exceeds a limit.
 *
 * message/rfc822 is a leaf. A multipart without boundary or without parts is also a leaf, of type text/plain, so none
 * of its text is lost. A multipart without a closing delimiter ends with the enclosing multipart.
 */
export const splitEmail = (bytes: Buffer): { header: HeaderField[]; leaves: Leaf[] } | null => {
  const email = linesOf(bytes);
  const leaves: Leaf[] = [];
  const open: Multipart[] = [];
  let depths = depthsOf(open);
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

    // The text after a closing delimiter is an epilogue, up to the next delimiter of an enclosing multipart.
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
