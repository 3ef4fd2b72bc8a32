/** Lines of an email, with one character per byte. */

/** `lineBreak` is LF, or CR in an email without LF (classic Mac OS). A CR may precede the LF. */
export type Email = { bytes: Buffer; lineBreak: number };

export const lf = 0x0a;
export const cr = 0x0d;

export const linesOf = (bytes: Buffer): Email => ({ bytes, lineBreak: bytes.includes(lf) ? lf : cr });

export const lineAt = ({ bytes, lineBreak }: Email, start: number): { line: string; next: number } => {
  let end = start;
  while (end < bytes.length && bytes[end] !== lineBreak) end++;
  const next = Math.min(end + 1, bytes.length);
  while (end > start && bytes[end - 1] === cr) end--;
  return { line: bytes.toString("latin1", start, end), next };
};

/** The line break before a delimiter belongs to the delimiter, not to the part (RFC 2046, section 5.1.1). */
export const lineBreakBefore = ({ bytes, lineBreak }: Email, start: number): number =>
  lineBreak === lf && bytes[start - 2] === cr ? start - 2 : start - 1;
