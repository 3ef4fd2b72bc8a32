/** Some mailers write header fields without encoding them, in the charset that the email declares elsewhere. */
import type { HeaderField } from "./header.ts";
import { contentType } from "./parameters.ts";
import type { Leaf } from "./tree.ts";

const encodedWord = /=\?([^?* \t]+)(?:\*[^? \t]*)?\?[bq]\?/gi;

/** A hostile email could declare thousands. */
const maximumCharsets = 10;

function* found(header: readonly HeaderField[], leaves: () => readonly Leaf[]): Generator<string> {
  yield contentType(header).parameters.get("charset")?.bytes ?? "";
  for (const { value } of header) for (const [, charset = ""] of value.matchAll(encodedWord)) yield charset;
  for (const { contentType } of leaves()) yield contentType.parameters.get("charset")?.bytes ?? "";
}

/** Returns the charsets of the email itself, of its encoded words and of its parts, but searches only when called. */
export const declaredCharsets = (header: readonly HeaderField[], leaves: () => readonly Leaf[]) => {
  let charsets: Set<string> | undefined;
  return (): Iterable<string> => {
    if (charsets) return charsets;
    charsets = new Set();
    for (const charset of found(header, leaves)) {
      if (charset !== "") charsets.add(charset.toLowerCase());
      if (charsets.size === maximumCharsets) break;
    }
    return charsets;
  };
};
