/** Derives a message's id from the id that its sender knows. */
import { createHash } from "node:crypto";

/** The versions 5 and 8 take their bits from a digest (RFC 9562). */
export const uuidOf = (version: 5 | 8, digest: Buffer): string => {
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | (version << 4), 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString("hex", 0, 16).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

/** The namespace is the account's UUID, so a program in any language derives the same id. */
export const idOfExternal = (account_id: string, external_id: string): string =>
  uuidOf(5, createHash("sha1").update(account_id.replaceAll("-", ""), "hex").update(external_id).digest());
