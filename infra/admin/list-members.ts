/** `list-members`: lists the members of an account. */
import * as store from "../../lib/members/store.ts";
import { defineCommand, openTableOf, reportRows, type Shell, uuid } from "./command.ts";

const columns = ["email", "name", "role", "created_at", "updated_at", "user_id", "id"] as const;

export const listMembers = (shell: Shell) =>
  defineCommand("list-members", "list the members of an account")
    .requiredOption("--account <uuid>", "the account", uuid)
    .action(async ({ account, local, json }) => {
      const members = await store.listMembers(openTableOf({ local }), account);
      const rowOf = (member: store.StoredMember) => columns.map((column) => [column, member[column] ?? null]);
      reportRows(shell, json, members.map(rowOf).map(Object.fromEntries));
    });
