/** Stores users and the members of accounts. */
import { randomUUID } from "node:crypto";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { getItem } from "../table/get.ts";
import { memberKey, userKey } from "../table/keys.ts";
import { listItems } from "../table/list.ts";
import { succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import type { AccountMember, NewMember } from "./member.ts";

/** A person. One email address has one user, who can be a member of several accounts. */
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
 * Returns the user with this email address. An eventually consistent read costs half the price of a strongly consistent
 * read, but can miss a new user. In that case, the condition of {@link putUser} fails, because the user exists.
 */
export const findUser = (table: Table, email: string): Promise<User | undefined> =>
  getItem<User>(table, userKey(email));

/** Puts a new user. The condition fails if a user with this email address exists. */
export const putUser = (table: Table, user: User, now: number): Write<User> =>
  putIfAbsent(table, userKey(user.email), user, now);

/** A member's item in the table. API responses contain neither the member's email address nor the member's name. */
export type StoredMember = AccountMember & Pick<NewMember, "email" | "name">;

/** Puts a new member. The condition fails if the user is already a member of the account. */
export const putMember = (table: Table, member: StoredMember, now: number): Write<StoredMember> =>
  putIfAbsent(table, memberKey(member.account_id, member.user_id), member, now);

/** Returns the members of an account, the oldest first. */
export const listMembers = async (table: Table, account_id: string): Promise<StoredMember[]> => {
  const items = await listItems<StoredMember>(table, memberKey(account_id, ""));
  return items.map(({ pk, sk, ...member }) => member).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

/**
 * Returns the table, key and condition of a write to a member. If a removed user is added to the account again, the new
 * member has a new id. So a write to the removed member fails.
 */
const unchanged = ({ account_id, user_id }: AccountMember, TableName: string) => ({
  TableName,
  Key: memberKey(account_id, user_id),
  ConditionExpression: "id = :id",
});

/** Sets the role of a member. Returns false if the member was deleted. */
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

/** Deletes a member, but not the user. Returns false if the member was already deleted. */
export const removeMember = (table: Table, member: AccountMember): Promise<boolean> => {
  const command = new DeleteCommand({
    ...unchanged(member, table.name),
    ExpressionAttributeValues: { ":id": member.id },
  });
  return succeeds(() => table.client.send(command));
};
