/** Converts domain names to ASCII in lower case, so that equal domains have equal texts. */
import { domainToASCII, domainToUnicode } from "node:url";

const ascii = /^[\0-\x7f]*$/;

/** Letters, digits and hyphens (RFC 1123, section 2.1). */
const label = /^(?!-)[a-z\d-]{1,63}(?<!-)$/;

/** The maximum length of a domain name in text (RFC 1035, section 2.3.4). */
const maximumLength = 253;

/** Converts a label to `xn--…`. Returns `null` if IDNA would replace a character, such as U+FF41 by `a` (RFC 5891). */
const internationalLabel = (text: string): string | null => {
  const converted = domainToASCII(text);
  return domainToUnicode(converted) === text ? converted : null;
};

/** Returns `mail.xn--bcher-kva.example` for `Mail.Bücher.example`, or `null` if the text is not a domain name. */
export const normalDomain = (text: string): string | null => {
  // Rejects very long texts early. The limit is doubled, because some characters have two UTF-16 code units.
  if (text.length > 2 * maximumLength || text !== text.normalize("NFC")) return null;
  const labels = text
    .toLowerCase()
    .split(".")
    .map((part) => (ascii.test(part) ? part : internationalLabel(part)));
  const domain = labels.join(".");
  return domain.length <= maximumLength && labels.every((part) => part !== null && label.test(part))
    ? domain
    : null;
};
