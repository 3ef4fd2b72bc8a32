/** Normalizes domain names to ASCII and lower case. */
import { domainToASCII, domainToUnicode } from "node:url";

const ascii = /^[\0-\x7f]*$/;

/** A label has letters, digits and hyphens, but no hyphen at either end (RFC 1123, section 2.1). */
const label = /^(?!-)[a-z\d-]{1,63}(?<!-)$/;

/** A domain name of 253 characters takes 255 bytes on the wire, the limit of RFC 1035 (section 2.3.4). */
const maximumLength = 253;

/** Rejects characters that IDNA would replace, such as a full-width `a` by an ordinary one (RFC 5891). */
const internationalLabel = (text: string): string | null => {
  const converted = domainToASCII(text);
  return domainToUnicode(converted) === text ? converted : null;
};

/** `Mail.Bücher.example` becomes `mail.xn--bcher-kva.example`. Returns `null` if the text is no domain name. */
export const normalDomain = (text: string): string | null => {
  // Very long text is rejected early, because converting it would be slow. The limit is doubled, because a character
  // can be two UTF-16 code units.
  if (text.length > 2 * maximumLength || text !== text.normalize("NFC")) return null;
  const labels = text
    .toLowerCase()
    .split(".")
    .map((part) => (ascii.test(part) ? part : internationalLabel(part)));
  const domain = labels.join(".");
  return domain.length <= maximumLength && labels.every((part) => part !== null && label.test(part)) ? domain : null;
};
