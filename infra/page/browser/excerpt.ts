/** How much of a text the page shows, and the text and size of base64. */

// A line of 250,000 characters stopped a slow machine for 0.9 s, one of 60,000 for 0.15 s.
export const wholeCharacters = 250_000;
export const excerptCharacters = 60_000;

export const shownOf = (text: string): string =>
  text.slice(0, text.length > wholeCharacters ? excerptCharacters : wholeCharacters);

export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  return fromBase64?.call(Uint8Array, base64) ?? Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
};

export const textOf = (content: string, characters = excerptCharacters): string =>
  new TextDecoder().decode(bytesOf(content.slice(0, characters * 4)));

export const sizeOf = (content: string): number => Math.floor((content.replace(/=+$/, "").length * 3) / 4);
