/** `remove-member`: takes members out of an account. */
import * as change from "../../lib/members/store.ts";
import { defineCommand, forEach, openTableOf, readOperands, report, type Shell, uuid } from "./command.ts";
import { memberNamed, noSuchMember } from "./member.ts";

const afterwards = `
A member who was removed can be added again. An Idempotency-Key still returns what it returned, for 24 hours
from its first use: who adds them again takes a new one.`;

export const removeMember = (shell: Shell) =>
  defineCommand("remove-member", "take members out of an account")
    .argument("<member...>", "an email, or an id that list-members shows; - reads them from standard input")
    .requiredOption("--account <uuid>", "the account", uuid)
    .addHelpText("after", afterwards)
    .action(async (operands, { account, local, json }) => {
      const table = openTableOf({ local });
      const members = await change.listMembers(table, account);
      await forEach(shell, await readOperands(operands, shell), async (name) => {
        const { email, ...member } = memberNamed(members, name);
        const removed = await change.removeMember(table, member);
        if (!removed) throw new Error(`${name}: ${noSuchMember}`);
        report(shell, json, { id: member.id, user_id: member.user_id, email, removed }, `removed   ${email}`);
      });
    });
