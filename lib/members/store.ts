/** The table has one user per email address, and one member for each account that the user belongs to. */
import { randomUUID } from "node:crypto";
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { getItem } from "../table/get.ts";
import { memberKey, personKey, userKey } from "../table/keys.ts";
import { listItems } from "../table/list.ts";
import { succeeds } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { putIfAbsent, type Write } from "../table/writes.ts";
import type { AccountMember, NewMember } from "./member.ts";

/** One email address, even if it belongs to several accounts. */
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

/** This eventually consistent read may miss a new user, but then the condition of {@link putUser} fails. */
export const findUser = (table: Table, email: string): Promise<User | undefined> =>
  getItem<User>(table, userKey(email));

export const putUser = (table: Table, user: User, now: number): Write<User> =>
  putIfAbsent(table, userKey(user.email), user, now);

/** The operator's commands show a member's email address and name, but the API never returns them. */
export type StoredMember = AccountMember & Pick<NewMember, "email" | "name">;

export const putMember = (table: Table, member: StoredMember, now: number): Write<StoredMember> =>
  putIfAbsent(table, memberKey(member.account_id, member.user_id), { ...member, person: personKey(member.email) }, now);

export const listMembers = async (table: Table, account_id: string): Promise<StoredMember[]> => {
  const items = await listItems<StoredMember & { person: string }>(table, memberKey(account_id, ""));
  return items.map(({ pk, sk, person, ...member }) => member).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

export const findMember = (table: Table, account_id: string, user_id: string): Promise<StoredMember | undefined> =>
  getItem<StoredMember>(table, memberKey(account_id, user_id), { consistent: true });

/** A user who is removed and added again gets a new member id, so a write to the old member fails. */
const unchanged = ({ account_id, user_id }: AccountMember, TableName: string) => ({
  TableName,
  Key: memberKey(account_id, user_id),
  ConditionExpression: "id = :id",
});

/** Returns false if the member has been removed since we read it. */
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
    ExpressionAttributeValues: { ":id": member.id, ":role": role, ":updated_at": new Date(now).toISOString() },
  });
  return succeeds(() => table.client.send(command));
};

/** Takes a user out of the account; the user itself stays. Returns false if the member was removed already. */
export const removeMember = (table: Table, member: AccountMember): Promise<boolean> => {
  const command = new DeleteCommand({
    ...unchanged(member, table.name),
    ExpressionAttributeValues: { ":id": member.id },
  });
  return succeeds(() => table.client.send(command));
};
