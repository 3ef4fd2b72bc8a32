/** `remove-content`: deletes the content of messages, and keeps their other fields. */
import * as messages from "../../lib/messages/remove.ts";
import type { Shell } from "./command.ts";
import { defineRemoval } from "./message.ts";

const afterwards = `
The message keeps its other fields, such as sender and subject. Use delete-message to delete these, too.
Another import of the same email does not bring the content back.`;

export const removeContent = (shell: Shell) =>
  defineRemoval(
    shell,
    "remove-content",
    "delete the emails of messages (content: null)",
    "content_removed",
    messages.removeContent,
  ).addHelpText("after", afterwards);
