/** Finds the addresses in a header field such as From or To (RFC 5322, sections 3.4 and 4.4). */
import { storedAddress } from "../addresses/address.ts";
import { afterComments } from "./header.ts";

/** Matches a quoted string, an encoded word, a domain literal, a word, or a special character. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"?|=\?[^?]*\?[bq]\?[^?]*\?=|\[[^\]]*\]?|[^ \t"[\]()<>,;:\\]+|./isy;

/** `a . b @ c` is one address, but `a b@c` is a name and an address (RFC 5322, section 4.4). */
const joins = (character: string | undefined): boolean => character === "." || character === "@";

/** An address copied from a web page or an address book may bring no-break spaces and marks of direction along. */
const unseen = /^[\s\p{Cf}]{1,9}|[\s\p{Cf}]{1,9}$/gu;

/** Yields the valid addresses. Decode names only afterwards, because a decoded name may contain a comma. */
export function* addressesIn(list: string): Generator<string> {
  let text = "";
  let last: string | undefined;
  /** Some programs write blanks between addresses. In `a@example.com <b@example.com>`, the first is only a display name. */
  let unbracketed: string[] = [];

  const endText = (): string => {
    const address = text.replace(unseen, "").replace(/^'(.+)'$/, "$1");
    text = "";
    return (address.includes("@") && storedAddress(address)) || "";
  };

  let at = 0;
  while (at < list.length) {
    const start = afterComments(list, at);
    token.lastIndex = start;
    const [word = ""] = token.exec(list) ?? [];
    const isApart = start > at && !joins(last) && !joins(word[0]);
    at = start + word.length;
    last = word.at(-1);

    if (word === "<" || word === ":") {
      // The text before `<` or `:` is a display name or a source route, not an address.
      text = "";
      unbracketed = [];
    } else if (word === ">" || word === "," || word === ";" || word === "") {
      yield* [...unbracketed, endText()].filter(Boolean);
      unbracketed = [];
    } else {
      if (isApart) unbracketed.push(endText());
      const isEncodedWord = word.startsWith("=?") && word.endsWith("?=");
      if (!isEncodedWord) text += word;
    }
  }
  yield* [...unbracketed, endText()].filter(Boolean);
}

/** Returns the first valid address, or "". */
export const firstAddress = (list: string): string => addressesIn(list).next().value ?? "";
