/**
 * Finds the texts of an email that are alternatives of each other, such as plain text and HTML. The API's response
 * lists text parts, but only the email's MIME tree shows which of them are alternatives.
 *
 *   multipart/mixed
 *   ├─ multipart/alternative
 *   │  ├─ text/plain ─── replaced by its neighbour
 *   │  └─ text/html
 *   └─ text/html ─────── a mailing list's footer, which replaces nothing
 */

import { charsetDecoder } from "../../lib/email/charset.ts";
import { describeLeaf } from "../../lib/email/parse-email.ts";
import { type Leaf, type Multipart, splitEmail } from "../../lib/email/tree.ts";
import type { Structure } from "./served.ts";

function* alternativesOf(leaf: Leaf): Generator<[alternative: Multipart, child: Leaf | Multipart]> {
  let child: Leaf | Multipart = leaf;
  for (let parent = leaf.parent; parent; parent = parent.parent) {
    if (parent.type === "multipart/alternative") yield [parent, child];
    child = parent;
  }
}

/** Returns `null` if the parser rejects the email. */
export const structureOf = (raw: Buffer): Structure | null => {
  const email = splitEmail(raw);
  if (!email) return null;
  const decode = charsetDecoder();
  const leaves = email.leaves.map((leaf) => ({ leaf, ...describeLeaf(leaf, decode) }));
  /**
   * RFC 2046 (section 5.1.4) prefers the last part of a multipart/alternative; we prefer HTML, because invitations end
   * with a calendar.
   */
  const best = new Map<Multipart, Leaf | Multipart>();
  for (const { leaf, content_type, isInline } of leaves) {
    if (!isInline || content_type !== "text/html") continue;
    for (const [alternative, child] of alternativesOf(leaf)) best.set(alternative, child);
  }
  const isReplaced = (leaf: Leaf): boolean =>
    alternativesOf(leaf).some(([alternative, child]) => (best.get(alternative) ?? child) !== child);
  return leaves.map(({ leaf, isInline }) => ({ isInline, isReplaced: isReplaced(leaf) }));
};
