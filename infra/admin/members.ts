/** `list-members`, `set-member-role` and `remove-member`. */
import { Option } from "@commander-js/extra-typings";
import { roles } from "../../lib/members/member.ts";
import * as store from "../../lib/members/store.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../cli/user-error.ts";
import { defineCommand, forEachOperand, openTableOf, report, reportRows, type Shell, uuid } from "./command.ts";

const columns = ["email", "name", "role", "created_at", "updated_at", "user_id", "id"] as const;

export const listMembers = (shell: Shell) =>
  defineCommand("list-members", "list the members of an account")
    .requiredOption("--account <uuid>", "the account", uuid)
    .action(async ({ account, local, json }) => {
      const members = await store.listMembers(openTableOf({ local }), account);
      const rowOf = (member: store.StoredMember) => columns.map((column) => [column, member[column] ?? null]);
      reportRows(shell, json, members.map(rowOf).map(Object.fromEntries));
    });

const defineMemberCommand = (name: string, summary: string) =>
  defineCommand(name, summary)
    .argument("<member...>", "an email, or an id that list-members shows; - reads them from standard input")
    .requiredOption("--account <uuid>", "the account", uuid);

/**
 * On the command line, you can name a member by email, `id` or `user_id`. If the account has no such member, `act` is
 * called with `undefined`.
 */
const forEachMember = async (
  shell: Shell,
  operands: string[],
  table: Table,
  account_id: string,
  act: (member: store.StoredMember | undefined, name: string) => Promise<void>,
): Promise<void> => {
  const members = await store.listMembers(table, account_id);
  await forEachOperand(shell, operands, (name) => {
    const lower = name.toLowerCase();
    return act(
      members.find(({ email, id, user_id }) => [email, id, user_id].includes(lower)),
      name,
    );
  });
};

export const setMemberRole = (shell: Shell) =>
  defineMemberCommand("set-member-role", "give members of an account another role")
    .addOption(new Option("--role <role>", "the role").choices(roles).makeOptionMandatory())
    .action((operands, { account, role, local, json }) => {
      const table = openTableOf({ local });
      return forEachMember(shell, operands, table, account, async (member, name) => {
        if (!member || !(await store.setMemberRole(table, member, role, Date.now()))) {
          throw new UserError(`${name}: no such member of the account`);
        }
        const { id, user_id, email } = member;
        report(shell, json, { id, user_id, email, role }, `${email}   ${role}`);
      });
    });

const aboutRemoval = `
A removed member can be added again, with a new Idempotency-Key. Within 24 hours of its first use, an old
Idempotency-Key still returns its first response and adds nobody.
The exit status is 0 if the account doesn't have the member afterwards, so you can run the command again.`;

export const removeMember = (shell: Shell) =>
  defineMemberCommand("remove-member", "remove members from an account")
    .addHelpText("after", aboutRemoval)
    .action((operands, { account, local, json }) => {
      const table = openTableOf({ local });
      return forEachMember(shell, operands, table, account, async (member, name) => {
        if (!member || !(await store.removeMember(table, member))) {
          const line = `unknown   ${name}   (no member of the account; nothing was changed)`;
          return report(shell, json, { member: name, removed: false }, line);
        }
        const { id, user_id, email } = member;
        report(shell, json, { member: name, removed: true, id, user_id, email }, `removed   ${email}`);
      });
    });
