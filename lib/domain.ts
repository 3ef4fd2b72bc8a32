/** Converts domains to ASCII in lower case, so they can be compared. */
import { domainToASCII, domainToUnicode } from "node:url";

const ascii = /^[\0-\x7f]*$/;

/** Letters, digits and hyphens (RFC 1123, section 2.1). */
const label = /^(?!-)[a-z\d-]{1,63}(?<!-)$/;

/** RFC 1035, section 2.3.4: 255 bytes on the wire are 253 characters. */
const maximumLength = 253;

/** A character needs at least one byte of the ASCII form, and at most two UTF-16 units. */
const longestUnicode = 2 * maximumLength;

/**
 * Returns an international label as `xn--…`, or `null`. UTS #46 would also accept look-alikes, such as U+212A for `k`.
 * RFC 5891, section 5.3 requires that the label does not change when it is converted back.
 */
const internationalLabel = (text: string): string | null => {
  const converted = domainToASCII(text);
  return domainToUnicode(converted) === text ? converted : null;
};

/**
 * Returns the domain in the form that scopes and messages contain, or `null` if the text is not a domain name.
 *
 * @example
 * normalDomain("Mail.Bücher.example"); // "mail.xn--bcher-kva.example"
 */
export const normalDomain = (text: string): string | null => {
  if (text.length > longestUnicode || text !== text.normalize("NFC")) return null;
  const labels = text
    .toLowerCase()
    .split(".")
    .map((part) => (ascii.test(part) ? part : internationalLabel(part)));
  const domain = labels.join(".");
  return domain.length <= maximumLength && labels.every((part) => part !== null && label.test(part))
    ? domain
    : null;
};
