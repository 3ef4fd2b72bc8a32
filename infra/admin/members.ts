/** The commands on members of an account. */
import { Option } from "@commander-js/extra-typings";
import { roles } from "../../lib/members/member.ts";
import * as store from "../../lib/members/store.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../cli/user-error.ts";
import {
  defineCommand,
  forEachOperand,
  openTableOf,
  report,
  reportRows,
  type Shell,
  uuid,
} from "./command.ts";

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
 * Calls `change` for each member whose email, `id` or `user_id` is in `operands`. Prints the line that `lineOf`
 * returns, or with `--json` a JSON object.
 *
 * @param change returns false if the member no longer exists
 * @param changed fields that `--json` prints after the member's ids and email, such as `removed: true`
 */
const changeMembers = async (
  shell: Shell,
  operands: string[],
  { account, local, json }: { account: string; local?: true | undefined; json?: true | undefined },
  change: (table: Table, member: store.StoredMember) => Promise<boolean>,
  changed: object,
  lineOf: (email: string) => string,
): Promise<void> => {
  const table = openTableOf({ local });
  const members = await store.listMembers(table, account);
  await forEachOperand(shell, operands, async (name) => {
    const lower = name.toLowerCase();
    const member = members.find(({ email, id, user_id }) => [email, id, user_id].includes(lower));
    if (!member || !(await change(table, member))) {
      throw new UserError(`${name}: no such member of the account`);
    }
    const { id, user_id, email } = member;
    report(shell, json, { id, user_id, email, ...changed }, lineOf(email));
  });
};

export const setMemberRole = (shell: Shell) =>
  defineMemberCommand("set-member-role", "give members of an account another role")
    .addOption(new Option("--role <role>", "the role").choices(roles).makeOptionMandatory())
    .action((operands, { role, ...options }) =>
      changeMembers(
        shell,
        operands,
        options,
        (table, member) => store.setMemberRole(table, member, role, Date.now()),
        { role },
        (email) => `${email}   ${role}`,
      ),
    );

const aboutRemoval = `
A removed member can be added again, with a new Idempotency-Key. Within 24 hours of its first use, an old
Idempotency-Key still returns its first response and adds nobody.`;

export const removeMember = (shell: Shell) =>
  defineMemberCommand("remove-member", "remove members from an account")
    .addHelpText("after", aboutRemoval)
    .action((operands, options) =>
      changeMembers(
        shell,
        operands,
        options,
        store.removeMember,
        { removed: true },
        (email) => `removed   ${email}`,
      ),
    );
