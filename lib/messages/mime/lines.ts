/** An email as lines. Bytes stay bytes: one character each. */

/** `lineBreak` is LF, which a CR may precede; in an email without a single LF it is CR, as on classic Mac OS. */
export type Email = { bytes: Buffer; lineBreak: number };

export const lf = 0x0a;
export const cr = 0x0d;

export const linesOf = (bytes: Buffer): Email => ({ bytes, lineBreak: bytes.includes(lf) ? lf : cr });

/** The line at `start` without its line break, and where the next one starts. */
export const lineAt = ({ bytes, lineBreak }: Email, start: number): { line: string; next: number } => {
  let end = start;
  while (end < bytes.length && bytes[end] !== lineBreak) end++;
  const next = Math.min(end + 1, bytes.length);
  while (end > start && bytes[end - 1] === cr) end--;
  return { line: bytes.toString("latin1", start, end), next };
};

/** The line break before `start`, which belongs to a delimiter there (RFC 2046, section 5.1.1). */
export const lineBreakBefore = ({ bytes, lineBreak }: Email, start: number): number =>
  lineBreak === lf && bytes[start - 2] === cr ? start - 2 : start - 1;
