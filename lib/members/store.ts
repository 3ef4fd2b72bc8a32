/** Users and the accounts they are members of. */
import { randomUUID } from "node:crypto";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { succeeds } from "../table/conditional.ts";
import { getItem } from "../table/get.ts";
import { memberKey, userKey } from "../table/keys.ts";
import { listItems } from "../table/list.ts";
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

/** A member as the table has it: with what the API was given, and does not return. */
export type StoredMember = AccountMember & Pick<NewMember, "email" | "name">;

/** Returns the members of an account in the order in which they joined. */
export const listMembers = async (table: Table, account_id: string): Promise<StoredMember[]> => {
  const items = await listItems<StoredMember>(table, memberKey(account_id, ""));
  return items.map(({ pk, sk, ...member }) => member).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

/** Refused when the member is gone, even if the same user has joined again since. */
const unchanged = ({ account_id, user_id }: AccountMember, TableName: string) => ({
  TableName,
  Key: memberKey(account_id, user_id),
  ConditionExpression: "id = :id",
});

/** Gives a member another role. Returns false when they are no member any more. */
export const setMemberRole = (
  table: Table,
  member: AccountMember,
  role: AccountMember["role"],
  now: number,
): Promise<boolean> => {
  const command = new UpdateCommand({
    ...unchanged(member, table.name),
    UpdateExpression: "SET #role = :role, updated_at = :updated_at",
    ExpressionAttributeNames: { "#role": "role" },
    ExpressionAttributeValues: {
      ":id": member.id,
      ":role": role,
      ":updated_at": new Date(now).toISOString(),
    },
  });
  return succeeds(() => table.client.send(command));
};

/**
 * Takes a member out of the account: they can be added again, as a new member. The user stays, with their id.
 * Returns false when they are no member any more.
 */
export const removeMember = (table: Table, member: AccountMember): Promise<boolean> => {
  const command = new DeleteCommand({
    ...unchanged(member, table.name),
    ExpressionAttributeValues: { ":id": member.id },
  });
  return succeeds(() => table.client.send(command));
};
