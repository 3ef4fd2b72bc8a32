/** The MIME tree (RFC 2046, section 5.1): where each part of an email starts and ends. */
import type { HeaderField } from "./header.ts";
import { trimEndBlanks } from "./header.ts";
import { firstLine, maxHeaderBytes, readHeader } from "./header-block.ts";
import { type Email, lineAt, lineBreakBefore, linesOf } from "./lines.ts";
import { contentType, type Structured } from "./parameters.ts";

/** Postfix stops at 100 levels too (mime_nesting_limit); real mail stays below ten. */
export const maxNesting = 100;

/** Multiparts count too. Digests hold hundreds of parts; each one costs what its header costs to read. */
export const maxParts = 10_000;

/** A part without children. `body` is a view of the email, still encoded. */
export type Leaf = { header: HeaderField[]; contentType: Structured; body: Buffer };

type Multipart = { boundary: string; isDigest: boolean };

/** By boundary: how deep the multipart is that has it. */
type Depths = ReadonlyMap<string, number>;

/** A line that starts or closes a part of the multipart at `depth`. */
type Delimiter = { depth: number; closes: boolean };

/** `bodyEnd` is where the part before it ends; `next` is the line after it. */
type FoundDelimiter = Delimiter & { bodyEnd: number; next: number };

/**
 * Splits an email into its header and its leaves, in document order: one pass, linear in time. Null past the
 * limits: those above, and `maxHeaderBytes`.
 *
 * message/rfc822 is a leaf. So is a multipart that names no boundary or has no part in its body: it is read as
 * text/plain, so that nothing is lost that a person might read. A part that is never closed ends with the
 * multipart around it.
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

    // What follows a closed multipart is its epilogue, up to the next part of one around it.
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

/** Of two multiparts with the same boundary, the inner one has it, until it is closed. */
const openMultiparts = () => {
  const stack: (Multipart & { outer: number | undefined })[] = [];
  const depths = new Map<string, number>();
  return {
    depths: depths as Depths,
    /** Returns how deep the new one is: 0 for the outermost. */
    open: ({ boundary, isDigest }: Multipart): number => {
      const depth = stack.length;
      stack.push({ boundary, isDigest, outer: depths.get(boundary) });
      depths.set(boundary, depth);
      return depth;
    },
    /** Closes all that are as deep as `depth`, or deeper. */
    closeTo: (depth: number): void => {
      for (const { boundary, outer } of stack.splice(depth).reverse()) {
        if (outer === undefined) depths.delete(boundary);
        else depths.set(boundary, outer);
      }
    },
    /** Whether the innermost one is a multipart/digest. */
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
  const name = trimEndBlanks(line.slice(2)); // transport may have padded the line
  const opens = depths.get(name) ?? -1;
  const closes = name.endsWith("--") ? (depths.get(name.slice(0, -2)) ?? -1) : -1;
  const depth = Math.max(opens, closes);
  return depth < 0 ? undefined : { depth, closes: closes > opens };
};
