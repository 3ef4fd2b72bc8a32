/** Domains in one spelling, so that two of them can be compared: ASCII, in lower case. */
import { domainToASCII, domainToUnicode } from "node:url";

const ascii = /^[\0-\x7f]*$/;

/** Letters, digits and hyphens (RFC 1123, section 2.1). */
const label = /^(?!-)[a-z\d-]{1,63}(?<!-)$/;

/** RFC 1035, section 2.3.4: 255 bytes on the wire are 253 characters. */
const maximumLength = 253;

/** A character of a label takes one byte or more of its ASCII form, and two UTF-16 units at most. */
const longestUnicode = 2 * maximumLength;

/**
 * An international label as `xn--…`, or `null`. UTS #46 would also accept what only looks like one: U+212A as
 * `k`, full-width digits as an IP address. RFC 5891, section 5.3 wants what maps to itself.
 */
const internationalLabel = (text: string): string | null => {
  const converted = domainToASCII(text);
  return domainToUnicode(converted) === text ? converted : null;
};

/**
 * The domain as scopes and messages hold it, or `null` when the text is no domain name.
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
