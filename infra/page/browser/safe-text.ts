/** Replaces control characters and changes of the text's direction, because they could disguise a file name. */
export const withoutControls = (text: string): string =>
  text.replace(/(?![\t\r\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
