/** Finds addresses in From, To and similar fields (RFC 5322, sections 3.4 and 4.4). */
import { addressDomain } from "../address.ts";
import { afterComments } from "./header.ts";

/** A quoted string, an encoded word, a domain literal, a word, or a special character. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"?|=\?[^?]*\?[bq]\?[^?]*\?=|\[[^\]]*\]?|[^ \t"[\]()<>,;:\\]+|./isy;

/** `a . b @ c` is one address, but `a b@c` is a name and an address (RFC 5322, section 4.4). */
const joins = (character: string | undefined): boolean => character === "." || character === "@";

/** The first valid address, or "". Pass `list` undecoded, because a decoded name may contain a comma. */
export const firstAddress = (list: string): string => {
  let text = "";
  let last: string | undefined;
  /** Counts only if no bracketed address follows: in `a@example.com <b@example.com>`, the first one is just a name. */
  let unbracketed = "";

  const endText = (): string => {
    const address = text.replace(/^'(.+)'$/, "$1");
    text = "";
    return address.includes("@") && addressDomain(address) ? address : "";
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
      // Text before `<` or `:` is a display name, the name of a group, or a route.
      text = "";
      unbracketed = "";
    } else if (word === ">" || word === "," || word === ";" || word === "") {
      const address = endText() || unbracketed;
      if (address) return address;
    } else {
      if (isApart) unbracketed ||= endText();
      const isEncodedWord = word.startsWith("=?") && word.endsWith("?=");
      if (!isEncodedWord) text += word;
    }
  }
  return unbracketed || endText();
};
