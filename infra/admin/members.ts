/** `list-members`, `set-member-role` and `remove-member`. */
import { Option } from "@commander-js/extra-typings";
import { normalAddress } from "../../lib/addresses/person.ts";
import { roles } from "../../lib/members/member.ts";
import * as store from "../../lib/members/store.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../cli/user-error.ts";
import { clockOf } from "./clock.ts";
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

/** Finds a member by email or `user_id` with one or two reads. Only for the `id`, we have to list all members. */
const memberOf = async (table: Table, account_id: string, name: string): Promise<store.StoredMember | undefined> => {
  const lower = name.toLowerCase();
  const user_id = lower.includes("@") ? (await store.findUser(table, lower))?.id : lower;
  const found = user_id && (await store.findMember(table, account_id, user_id));
  if (found) return found;
  const members = await store.listMembers(table, account_id);
  return members.find(({ email, id }) => id === lower || normalAddress(email) === normalAddress(name));
};

const noSuchMember = (name: string): UserError =>
  new UserError(`${name}: no such member of the account. Nothing was changed`);

export const setMemberRole = (shell: Shell) =>
  defineMemberCommand("set-member-role", "give members of an account another role")
    .addOption(new Option("--role <role>", "the role").choices(roles).makeOptionMandatory())
    .action(async (operands, { account, role, local, json }) => {
      const table = openTableOf({ local });
      const clock = await clockOf(shell, table);
      return forEachOperand(shell, operands, async (name) => {
        const member = await memberOf(table, account, name);
        if (!member || !(await store.setMemberRole(table, member, role, clock()))) throw noSuchMember(name);
        const { id, user_id, email, role: old_role } = member;
        report(shell, json, { id, user_id, email, role, old_role }, `${email}   ${role}   (was ${old_role})`);
      });
    });

const aboutRemoval = `
A removed member can be added again, with a new Idempotency-Key. Within 24 hours of its first use, an old
Idempotency-Key still returns its first response and adds nobody.
Whoever is no member (any more) is an error, because it may be a typing error.`;

export const removeMember = (shell: Shell) =>
  defineMemberCommand("remove-member", "remove members from an account")
    .addHelpText("after", aboutRemoval)
    .action((operands, { account, local, json }) => {
      const table = openTableOf({ local });
      return forEachOperand(shell, operands, async (name) => {
        const member = await memberOf(table, account, name);
        if (!member || !(await store.removeMember(table, member))) throw noSuchMember(name);
        const { id, user_id, email } = member;
        report(shell, json, { member: name, removed: true, id, user_id, email }, `removed   ${email}`);
      });
    });
