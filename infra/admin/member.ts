/** Commands on members. */
import { listMembers, type StoredMember } from "../../lib/members/store.ts";
import type { Table } from "../../lib/table/table.ts";
import { UserError } from "../user-error.ts";
import { defineCommand, forEachOperand, openTableOf, report, type Shell, uuid } from "./command.ts";

type Options = { account: string; local?: true | undefined; json?: true | undefined };

export const defineMemberCommand = (name: string, summary: string) =>
  defineCommand(name, summary)
    .argument("<member...>", "an email, or an id that list-members shows; - reads them from standard input")
    .requiredOption("--account <uuid>", "the account", uuid);

/**
 * Calls `change` for each named member. Prints the line from `lineOf`, or with `--json` the member and `changed`.
 *
 * @param change returns false if the member no longer exists
 */
export const changeMembers = async (
  shell: Shell,
  operands: string[],
  { account, local, json }: Options,
  change: (table: Table, member: StoredMember) => Promise<boolean>,
  changed: object,
  lineOf: (email: string) => string,
): Promise<void> => {
  const table = openTableOf({ local });
  const members = await listMembers(table, account);
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
