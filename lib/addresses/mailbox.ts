/** Reads the address of a mailbox such as `Ada <ada@example.com>` (RFC 5322, section 3.4). */
import { addressDomain } from "./address.ts";

/** The null sender `<>` becomes "". Text without brackets stays as it is. */
export const bareAddress = (text: string): string => {
  if (addressDomain(text) !== null) return text; // A quoted local part may contain brackets.
  const [, bracketed = text] = /<([^<>]*)>[^<>]*$/.exec(text) ?? [];
  return bracketed.trim();
};

/** A bounce has no sender (RFC 5321, section 4.5.5), but a message needs one. */
export const senderOfBounces = (recipient: string): string => `mailer-daemon@${addressDomain(recipient) ?? ""}`;
