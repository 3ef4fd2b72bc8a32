/** `remove-content`: removes the emails of messages before their time, and leaves the messages. */
import * as remove from "../../lib/messages/remove.ts";
import { defineCommand, forEach, openTableOf, readOperands, type Shell, uuid } from "./command.ts";
import { aboutBackups, idArgument, messageNamed, noSuchMessage, reportRemoval } from "./message.ts";

const afterwards = `
Sender, recipient, subject and all else that is known of the message stay; delete-message removes those, too.
An import of the same email leaves the message as it is.`;

export const removeContent = (shell: Shell) =>
  defineCommand("remove-content", "remove the emails of messages, which stay with content: null")
    .argument("<id...>", idArgument)
    .requiredOption("--account <uuid>", "the account", uuid)
    .addHelpText("after", `${afterwards}\n${aboutBackups}`)
    .action(async (operands, options) => {
      const table = openTableOf(options);
      await forEach(shell, await readOperands(operands, shell), async (name) => {
        const message = messageNamed(options.account, name);
        if (!(await remove.removeContent(table, message, Date.now()))) throw noSuchMessage(message);
        reportRemoval(shell, options, "content_removed", message);
      });
    });
