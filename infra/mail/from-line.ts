/**
 * Recognises the line before each email of an mbox (RFC 4155). A stranger's text can contain a line that looks the
 * same, so it depends on the lines around it.
 *
 *   From ada@example.com Sat Nov 21 15:00:00 2026   most programs
 *   From - Sat Nov 21 2026 15:00:00                 ImportExportTools NG until 14.0.1
 *   From ada@example.com                            without a date
 *   From                                            Thunderbird since 2024; Netscape wrote a hyphen after it
 */

import { fieldOf } from "../../lib/email/header.ts";
import { cr, lf } from "../../lib/email/lines.ts";

/** RFC 5322 limits a line to 998 characters. */
export const longestLine = 1000;

const usual = /^From .*\b\d{1,2}:\d{2}\b.*\b\d{4}\b/;
const yearBeforeTime = /^From .*\b\d{4}\b.*[ T]\d{1,2}:\d{2}\b/;
const bare = /^From [ \t]*-?[ \t]*$/;
/** Matches neither `From: ada@example.com` nor `From : ada@example.com`. */
const any = /^From(?: (?![ \t]*:)|$)/;

/** The kinds of From lines: with a date as usual, with another date, without anything, or without a date. */
export type FromKind = "usual" | "dated" | "bare" | "undated";

export type FromLine = {
  kind: FromKind;
  /** The offset after the line. */
  next: number;
  /** The line after it is a header field. */
  isBeforeHeader: boolean;
};

/** Returns the line that starts at `start`, without its line break, and cut to 1,000 characters. */
const lineOf = (bytes: Buffer, start: number): { line: string; next: number } => {
  const found = bytes.indexOf(lf, start);
  const next = found < 0 ? bytes.length : found + 1;
  const line = bytes.toString("latin1", start, Math.min(found < 0 ? next : found, start + longestLine));
  return { line: line.endsWith("\r") ? line.slice(0, -1) : line, next };
};

export const fromLineAt = (bytes: Buffer, start: number): FromLine | undefined => {
  const { line, next } = lineOf(bytes, start);
  if (bytes[next - 1] !== lf || line.length >= longestLine || !any.test(line)) return undefined;
  const following = lineOf(bytes, next).line;
  const isBeforeHeader = fieldOf(following) !== undefined || following.startsWith(">From ");
  if (usual.test(line)) return { kind: "usual", next, isBeforeHeader };
  if (yearBeforeTime.test(line)) return { kind: "dated", next, isBeforeHeader };
  return { kind: bare.test(line) ? "bare" : "undated", next, isBeforeHeader };
};

/** The first From line of an mbox: if it has no usual date, it must be followed by a header field. */
export const isFirst = ({ kind, isBeforeHeader }: FromLine): boolean => kind === "usual" || isBeforeHeader;

/** @param first the kind of the first From line of the mbox */
export const beginsEmail = (
  { kind, isBeforeHeader }: FromLine,
  first: FromKind,
  isAfterBlankLine: boolean,
): boolean => {
  if (kind !== "undated" && isBeforeHeader) return true;
  if (!isAfterBlankLine) return false;
  return kind === "usual" || (isBeforeHeader && (first === "bare" || first === "undated"));
};

/** Returns the start of the line that ends before `at` if that line is blank; otherwise `null`. */
export const blankLineBefore = (bytes: Buffer, at: number, isStart: boolean): number | null => {
  if (bytes[at - 1] !== lf) return null;
  const end = bytes[at - 2] === cr ? at - 2 : at - 1;
  return bytes[end - 1] === lf || (isStart && end === 0) ? end : null;
};
