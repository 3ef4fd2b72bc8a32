/** `delete-message`: removes messages before their time. */
import * as remove from "../../lib/messages/remove.ts";
import { defineCommand, forEach, openTableOf, readOperands, type Shell, uuid } from "./command.ts";
import { aboutBackups, idArgument, messageNamed, noSuchMessage, reportRemoval } from "./message.ts";

export const deleteMessage = (shell: Shell) =>
  defineCommand("delete-message", "delete messages before their time")
    .argument("<id...>", idArgument)
    .requiredOption("--account <uuid>", "the account", uuid)
    .addHelpText("after", aboutBackups)
    .action(async (operands, options) => {
      const table = openTableOf(options);
      await forEach(shell, await readOperands(operands, shell), async (name) => {
        const message = messageNamed(options.account, name);
        if (!(await remove.deleteMessage(table, message, Date.now()))) throw noSuchMessage(message);
        reportRemoval(shell, options, "deleted", message);
      });
    });
