/** Makes untrusted text, such as a file name or a subject, safe to print, to copy and to link. */

/**
 * Characters that act: control characters (C0, DEL, C1) move a terminal's cursor, a line break runs what is pasted into
 * a shell, and changes of direction disguise a name.
 */
const acting = "\\p{Cc}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069";
const anywhere = new RegExp(`[${acting}]`, "gu");
const exceptLines = new RegExp(`(?![\\t\\r\\n\\u2028\\u2029])[${acting}]`, "gu");

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** One line without a character that acts. In JSON, the escapes keep their meaning. */
export const visible = (text: string): string => text.replaceAll(anywhere, escaped);

/** Text of several lines, to be shown: its tabs and line breaks stay. */
export const visibleLines = (text: string): string => text.replaceAll(exceptLines, escaped);

/** A link of this text ends before the first character that acts. */
export const inLink = `[^\\s<>"${acting}]`;
