/** `remove-member`: removes members from an account. */
import * as store from "../../lib/members/store.ts";
import type { Shell } from "./command.ts";
import { changeMembers, defineMemberCommand } from "./member.ts";

const afterwards = `
A removed member can be added again, with a new Idempotency-Key. Within 24 hours of its first use, an old
Idempotency-Key still returns its first response and adds nobody.`;

export const removeMember = (shell: Shell) =>
  defineMemberCommand("remove-member", "remove members from an account")
    .addHelpText("after", afterwards)
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
