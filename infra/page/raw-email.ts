/** Turns the field `content` back into the bytes of the email. */
import { createHash } from "node:crypto";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/**
 * `content` is the email as UTF-8, or one character per byte if the email isn't UTF-8. The same text can mean both, so
 * the digest decides if there is one.
 */
export const rawEmail = (content: string, digest?: string): Buffer => {
  const asUtf8 = Buffer.from(content);
  if (digest === undefined || sha256(asUtf8) === digest) return asUtf8;
  const asLatin1 = Buffer.from(content, "latin1");
  return sha256(asLatin1) === digest ? asLatin1 : asUtf8;
};
