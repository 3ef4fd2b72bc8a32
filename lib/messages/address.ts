/**
 * Email addresses as SMTP has them (RFC 5321, section 4.1.2; UTF-8 in both halves: RFC 6531, section 3.3).
 * No display name, no comment, no route.
 */
import { isIPv4, isIPv6 } from "node:net";
import { normalDomain } from "../domain.ts";

// Each pattern finds one character that may not be there: linear, and no stack, however long the text is.
const notInDotString = /^\.|\.\.|\.$|[^\w.!#$%&'*+/=?^`{|}~\x80-\u{10ffff}-]/u;
const quotedPair = /\\[ -~]/g;
const notInQuotes = /["\\]|[^ -~\x80-\u{10ffff}]/u;

const isLocalPart = (text: string): boolean =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"')
    ? !notInQuotes.test(text.slice(1, -1).replaceAll(quotedPair, ""))
    : text !== "" && !notInDotString.test(text);

/** RFC 5321, section 4.1.3: `[192.0.2.1]`, `[IPv6:2001:db8::1]`. */
const isLiteral = (text: string): boolean => {
  const [, version6, address = ""] = /^\[(IPv6:)?([\da-f:.]{1,45})\]$/i.exec(text) ?? [];
  return version6 ? isIPv6(address) : isIPv4(address);
};

/** An email address, and the domain that is confined to or compared with: in ASCII and lower case. */
export type Address = { text: string; domain: string };

/** `null` when the text is no email address. An address literal is a domain, too. */
export const parseAddress = (text: string): Address | null => {
  const at = text.lastIndexOf("@"); // a quoted local part may hold others
  if (at < 0 || !text.isWellFormed() || !isLocalPart(text.slice(0, at))) return null;
  const host = text.slice(at + 1);
  const domain = isLiteral(host) ? host.toLowerCase() : normalDomain(host);
  return domain === null ? null : { text, domain };
};
