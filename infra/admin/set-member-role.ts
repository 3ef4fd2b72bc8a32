/** `set-member-role`: gives members of an account another role. */
import { Option } from "@commander-js/extra-typings";
import { roles } from "../../lib/members/member.ts";
import * as change from "../../lib/members/store.ts";
import { defineCommand, forEach, openTableOf, readOperands, report, type Shell, uuid } from "./command.ts";
import { memberNamed, noSuchMember } from "./member.ts";

export const setMemberRole = (shell: Shell) =>
  defineCommand("set-member-role", "give members of an account another role")
    .argument("<member...>", "an email, or an id that list-members shows; - reads them from standard input")
    .requiredOption("--account <uuid>", "the account", uuid)
    .addOption(new Option("--role <role>", "the role").choices(roles).makeOptionMandatory())
    .action(async (operands, { account, role, local, json }) => {
      const table = openTableOf({ local });
      const members = await change.listMembers(table, account);
      await forEach(shell, await readOperands(operands, shell), async (name) => {
        const { email, ...member } = memberNamed(members, name);
        const isSet = await change.setMemberRole(table, member, role, Date.now());
        if (!isSet) throw new Error(`${name}: ${noSuchMember}`);
        report(shell, json, { id: member.id, user_id: member.user_id, email, role }, `${email}   ${role}`);
      });
    });
