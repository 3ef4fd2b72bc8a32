/** `list-members`: who is a member of an account, in which role. */
import * as change from "../../lib/members/store.ts";
import { defineCommand, openTableOf, reportRows, type Shell, uuid } from "./command.ts";

export const listMembers = (shell: Shell) =>
  defineCommand("list-members", "show an account's members: email, name, role, ids")
    .requiredOption("--account <uuid>", "the account", uuid)
    .action(async ({ account, local, json }) => {
      const members = await change.listMembers(openTableOf({ local }), account);
      const rows = members.map(({ email, name = null, role, created_at, updated_at, user_id, id }) => ({
        email,
        name,
        role,
        created_at,
        updated_at,
        user_id,
        id,
      }));
      reportRows(shell, json, rows);
    });
