/** Users and the accounts they are members of. */
import { randomUUID } from "node:crypto";
import { getItem } from "../table/get.ts";
import { memberKey, userKey } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import type { AccountMember, NewMember } from "./member.ts";

/** One person across accounts: the same email always has the same id. */
export type User = { id: string; email: string; created_at: string };

export const newUser = (email: string, now: number): User => ({
  id: randomUUID(),
  email,
  created_at: new Date(now).toISOString(),
});

export const newMember = (
  account_id: string,
  user_id: string,
  role: AccountMember["role"],
  now: number,
): AccountMember => {
  const created_at = new Date(now).toISOString();
  return { id: randomUUID(), created_at, updated_at: created_at, user_id, account_id, role };
};

/**
 * The user with this address, or `null`. The read is eventually consistent, at half the price: a user
 * whom it misses is found by the condition of {@link putUser}.
 */
export const findUser = async (table: Table, email: string): Promise<User | null> =>
  (await getItem<User>(table, userKey(email))) ?? null;

/** Refused, with the user who is there, when someone else has just created them. */
export const putUser = (table: Table, user: User, now: number): Write<User> =>
  putIfAbsent(table, userKey(user.email), user, now);

/** Refused when the user is a member of the account already. The email is there for whoever lists members. */
export const putMember = (
  table: Table,
  member: AccountMember,
  { email, name }: Pick<NewMember, "email" | "name">,
  now: number,
): Write<AccountMember> =>
  putIfAbsent(table, memberKey(member.account_id, member.user_id), { ...member, email, name }, now);
