/** Decides whether two addresses are one person's. The normal spelling is part of stored keys, so it may never change. */
import { addressDomain } from "./address.ts";

const unquoted = (localPart: string): string =>
  /^".*"$/s.test(localPart) ? localPart.slice(1, -1).replaceAll(/\\(.)/gs, "$1") : localPart;

/**
 * Two addresses are the same person's if they differ in case, in the spelling of an international domain, in Unicode's
 * normal forms, or in quotes around the local part. `ada+news@example.com` is another person than `ada@example.com`.
 *
 * @param address need not be valid: a member may have `a..b@example.com`
 */
export const normalAddress = (address: string): string => {
  const at = address.lastIndexOf("@");
  const domain = addressDomain(address) ?? address.slice(at + 1).toLowerCase();
  return `${unquoted(address.slice(0, Math.max(at, 0)))
    .normalize("NFC")
    .toLowerCase()}@${domain}`;
};
