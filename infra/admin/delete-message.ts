/** `delete-message`: deletes messages. */
import * as messages from "../../lib/messages/remove.ts";
import type { Shell } from "./command.ts";
import { defineRemoval } from "./message.ts";

export const deleteMessage = (shell: Shell) =>
  defineRemoval(shell, "delete-message", "delete messages", "deleted", messages.deleteMessage);
