/** `set-member-role`: gives members of an account another role. */
import { Option } from "@commander-js/extra-typings";
import { roles } from "../../lib/members/member.ts";
import * as store from "../../lib/members/store.ts";
import type { Shell } from "./command.ts";
import { changeMembers, defineMemberCommand } from "./member.ts";

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
