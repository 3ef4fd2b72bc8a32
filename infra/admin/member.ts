/** Members as an operator names them. */
import type { StoredMember } from "../../lib/members/store.ts";

export const noSuchMember = "no such member of the account";

/** @throws Error when no member has this email, in any case, or this id (their own, or their user's) */
export const memberNamed = (members: StoredMember[], name: string): StoredMember => {
  const lower = name.toLowerCase();
  const found = members.find(({ email, id, user_id }) => [email, id, user_id].includes(lower));
  if (found) return found;
  throw new Error(`${name}: ${noSuchMember}`);
};
