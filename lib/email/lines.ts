/** Reads the lines of an email as latin1, with one character per byte. */

/** `lineBreak` is CR if the email has no LF, because classic Mac OS ended lines with CR alone. */
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
