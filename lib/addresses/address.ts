/** Checks email addresses (RFC 5321, section 4.1.2), which may contain UTF-8 (RFC 6531). */
import { isIPv4, isIPv6 } from "node:net";
import { normalDomain } from "./domain.ts";

// These patterns find forbidden text. A regular expression that matches a whole long address would overflow the stack.
const notInDotString = /^\.|\.\.|\.$|[^\w.!#$%&'*+/=?^`{|}~\x80-\u{10ffff}-]/u;
const quotedPair = /\\[ -~]/g;
const notInQuotes = /["\\]|[^ -~\x80-\u{10ffff}]/u;

const isLocalPart = (text: string): boolean =>
  text.length > 1 && text.startsWith('"') && text.endsWith('"')
    ? !notInQuotes.test(text.slice(1, -1).replaceAll(quotedPair, ""))
    : text !== "" && !notInDotString.test(text);

/** Matches an IP address in brackets, such as `[IPv6:2001:db8::1]` (RFC 5321, section 4.1.3). */
const isLiteral = (text: string): boolean => {
  const [, version6, address = ""] = /^\[(IPv6:)?([\da-f:.]{1,45})\]$/i.exec(text) ?? [];
  return version6 ? isIPv6(address) : isIPv4(address);
};

/** Matches a local part in use that RFC 5321 forbids without quotes, such as `nia..v.`. */
const isQuotable = (text: string): boolean => !notInDotString.test(text.replaceAll(".", "_"));

/**
 * Returns the address as we store it, or `null` if the text is not an email address. `nia..v.@docomo.example` becomes
 * `"nia..v."@docomo.example`, because RFC 5321 allows such dots only in quotes, and people have such addresses.
 */
export const storedAddress = (text: string): string | null => {
  const at = text.lastIndexOf("@"); // A quoted local part may contain other @ signs.
  const [local, host] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (local === "" || !text.isWellFormed() || !(isLiteral(host) || normalDomain(host))) return null;
  if (isLocalPart(local)) return text;
  return isQuotable(local) ? `"${local}"@${host}` : null;
};

/** Returns the domain in ASCII and lower case, or `null` if the text is not an email address. */
export const addressDomain = (text: string): string | null => {
  if (storedAddress(text) === null) return null;
  const host = text.slice(text.lastIndexOf("@") + 1);
  return isLiteral(host) ? host.toLowerCase() : normalDomain(host);
};
