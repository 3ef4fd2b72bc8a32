/** Splits an email into the parts of its MIME tree (RFC 2046, section 5.1). */
import type { HeaderField } from "./header.ts";
import { trimEndBlanks } from "./header.ts";
import { firstLine, maxHeaderBytes, readHeader } from "./header-block.ts";
import { type Email, lineAt, lineBreakBefore, linesOf } from "./lines.ts";
import { contentType, type Structured } from "./parameters.ts";

/** Postfix has the same limit (mime_nesting_limit). Real emails have less than ten levels. */
export const maxNesting = 100;

/** Includes multiparts. Digests have hundreds of parts. */
export const maxParts = 10_000;

/** A part without children. `body` is not decoded. */
export type Leaf = { header: HeaderField[]; contentType: Structured; body: Buffer };

type Multipart = { boundary: string; isDigest: boolean };

/** The depth of the multipart with each boundary. */
type Depths = ReadonlyMap<string, number>;

/** A line that starts or closes a part of the multipart at `depth`. */
type Delimiter = { depth: number; closes: boolean };

/** `bodyEnd` is the end of the part before the delimiter. `next` is the line after the delimiter. */
type FoundDelimiter = Delimiter & { bodyEnd: number; next: number };

/**
 * Splits an email into its header and its leaves, in document order and in linear time. Returns null if the email
 * exceeds a limit.
 *
 * message/rfc822 is a leaf. A multipart without boundary or without parts is a leaf of type text/plain, so no text is
 * lost. A part without closing delimiter ends with the multipart around it.
 */
export const splitEmail = (bytes: Buffer): { header: HeaderField[]; leaves: Leaf[] } | null => {
  const email = linesOf(bytes);
  const leaves: Leaf[] = [];
  const multiparts = openMultiparts();
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
    const isDigest = type.value === "multipart/digest";
    const depth = boundary ? multiparts.open({ boundary, isDigest }) : -1;
    if (depth >= maxNesting) return null;

    let delimiter = findDelimiter(email, part.bodyStart, multiparts.depths);
    const body = bytes.subarray(part.bodyStart, delimiter?.bodyEnd);
    const isMadeOfParts = delimiter?.depth === depth && (!delimiter.closes || isBlankText(body));
    if (!isMadeOfParts) {
      leaves.push({
        header: part.header,
        contentType: isMultipart ? { ...type, value: "text/plain" } : type,
        body,
      });
    }

    // An epilogue follows a closed multipart, up to the next part of a multipart around it.
    while (delimiter?.closes) {
      multiparts.closeTo(delimiter.depth);
      delimiter = findDelimiter(email, delimiter.next, multiparts.depths);
    }
    if (!delimiter) return { header, leaves };
    multiparts.closeTo(delimiter.depth + 1);
    isInDigest = multiparts.isDigest();
    start = delimiter.next;
  }
  return null;
};

const isBlankText = (body: Buffer): boolean => !/\S/.test(body.toString("latin1"));

/** If two nested multiparts have the same boundary, it belongs to the inner one until that is closed. */
const openMultiparts = () => {
  const stack: (Multipart & { outer: number | undefined })[] = [];
  const depths = new Map<string, number>();
  return {
    depths: depths as Depths,
    /** Returns the depth of the new multipart. The outermost depth is 0. */
    open: ({ boundary, isDigest }: Multipart): number => {
      const depth = stack.length;
      stack.push({ boundary, isDigest, outer: depths.get(boundary) });
      depths.set(boundary, depth);
      return depth;
    },
    /** Closes all multiparts from `depth` inwards. */
    closeTo: (depth: number): void => {
      for (const { boundary, outer } of stack.splice(depth).reverse()) {
        if (outer === undefined) depths.delete(boundary);
        else depths.set(boundary, outer);
      }
    },
    /** Returns whether the innermost multipart is a multipart/digest. */
    isDigest: (): boolean => stack.at(-1)?.isDigest ?? false,
  };
};

const findDelimiter = (email: Email, from: number, depths: Depths): FoundDelimiter | undefined => {
  if (depths.size === 0) return undefined;
  const dashes = Buffer.of(email.lineBreak, 0x2d, 0x2d);
  let at = email.bytes.indexOf(dashes, from - 1);
  while (at >= 0) {
    const { line, next } = lineAt(email, at + 1);
    const delimiter = delimiterOf(line, depths);
    if (delimiter) return { ...delimiter, bodyEnd: lineBreakBefore(email, at + 1), next };
    at = email.bytes.indexOf(dashes, at + dashes.length);
  }
  return undefined;
};

const delimiterOf = (line: string, depths: Depths): Delimiter | undefined => {
  if (!line.startsWith("--")) return undefined;
  const name = trimEndBlanks(line.slice(2)); // Some mail servers add blanks to a line.
  const opens = depths.get(name) ?? -1;
  const closes = name.endsWith("--") ? (depths.get(name.slice(0, -2)) ?? -1) : -1;
  const depth = Math.max(opens, closes);
  return depth < 0 ? undefined : { depth, closes: closes > opens };
};
