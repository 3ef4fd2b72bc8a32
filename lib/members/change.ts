/** What an operator does with the members of an account. Each change is one conditional write. */
import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { succeeds } from "../table/conditional.ts";
import { memberKey } from "../table/keys.ts";
import { listItems } from "../table/list.ts";
import type { Table } from "../table/table.ts";
import type { AccountMember, NewMember } from "./member.ts";

/** A member as the table has it: with what the API was given, and does not return. */
export type StoredMember = AccountMember & Pick<NewMember, "email" | "name">;

/** Returns the members of an account in the order in which they joined. */
export const listMembers = async (table: Table, account_id: string): Promise<StoredMember[]> => {
  const items = await listItems(table, memberKey(account_id, ""));
  const members = items.map(
    ({ id, created_at, updated_at, user_id, role, email, name }): StoredMember => ({
      id,
      created_at,
      updated_at,
      user_id,
      account_id,
      role,
      email,
      name,
    }),
  );
  return members.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
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
): Promise<boolean> =>
  succeeds(() =>
    table.client.send(
      new UpdateCommand({
        ...unchanged(member, table.name),
        UpdateExpression: "SET #role = :role, updated_at = :updated_at",
        ExpressionAttributeNames: { "#role": "role" },
        ExpressionAttributeValues: {
          ":id": member.id,
          ":role": role,
          ":updated_at": new Date(now).toISOString(),
        },
      }),
    ),
  );

/**
 * Takes a member out of the account: they can be added again, as a new member. The user stays, with their id.
 * Returns false when they are no member any more.
 */
export const removeMember = (table: Table, member: AccountMember): Promise<boolean> =>
  succeeds(() =>
    table.client.send(
      new DeleteCommand({
        ...unchanged(member, table.name),
        ExpressionAttributeValues: { ":id": member.id },
      }),
    ),
  );
