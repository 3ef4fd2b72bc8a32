/** The addresses of From, To and the like (RFC 5322, sections 3.4 and 4.4). */
import { parseAddress } from "../address.ts";
import { afterComments } from "./header.ts";

/** A quoted string, an encoded word, a domain literal, a word, or a character that means something. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"?|=\?[^?]*\?[bq]\?[^?]*\?=|\[[^\]]*\]?|[^ \t"[\]()<>,;:\\]+|./isy;

/** `a . b @ c` is an address, `a b@c` is a name and one (RFC 5322, section 4.4). */
const joins = (character: string | undefined): boolean => character === "." || character === "@";

/**
 * The first address of a list, without its display name, its comments and its route, also if it is in a
 * group; "" where no address is valid. Encoded words in `list` are not decoded yet: a display name may hold
 * commas and angle brackets once it is. Linear in time.
 */
export const firstAddress = (list: string): string => {
  let text = "";
  let last: string | undefined;
  /** An address that turns out to be a display name if one in angle brackets follows. */
  let unbracketed = "";

  const endText = (): string => {
    const address = text.replace(/^'(.+)'$/, "$1");
    text = "";
    return address.includes("@") && parseAddress(address) ? address : "";
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
      // A display name, the name of a group, or a route.
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
