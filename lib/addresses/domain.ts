/** Normalizes domain names to ASCII and lower case. */
import { domainToASCII, domainToUnicode } from "node:url";

const ascii = /^[\0-\x7f]*$/;

/**
 * A label has letters, digits and hyphens, but no hyphen at either end (RFC 1123, section 2.1). Underscores are forbidden
 * there, but in use.
 */
const label = /^(?!-)[a-z\d_-]{1,63}(?<!-)$/;

/** RFC 1035 (section 2.3.4) limits a domain name to 255 bytes in a DNS message, which is 253 characters of text. */
const maximumLength = 253;

/** IDNA replaces some characters, such as a full-width `a`; we reject them (RFC 5891). */
const internationalLabel = (text: string): string | null => {
  const converted = domainToASCII(text);
  return domainToUnicode(converted) === text ? converted : null;
};

/** `Mail.Bücher.example` becomes `mail.xn--bcher-kva.example`. Anything that is no domain name becomes `null`. */
export const normalDomain = (text: string): string | null => {
  // Converting a very long text would be slow, so we reject it first. JavaScript's `length` counts some characters
  // twice, so we allow twice the maximum length.
  if (text.length > 2 * maximumLength || text !== text.normalize("NFC")) return null;
  const labels = text
    .toLowerCase()
    .split(".")
    .map((part) => (ascii.test(part) ? part : internationalLabel(part)));
  const domain = labels.join(".");
  return domain.length <= maximumLength && labels.every((part) => part !== null && label.test(part)) ? domain : null;
};
