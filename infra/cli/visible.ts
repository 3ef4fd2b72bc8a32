/**
 * Escapes the control characters (C0, C1) and line breaks of untrusted text, such as a file name or a subject. Without
 * escaping, a file name could move the terminal's cursor, or add lines that look like output of the program.
 */
export const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
