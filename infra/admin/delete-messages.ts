/** `delete-message` and `remove-content`. */
import * as messages from "../../lib/messages/remove/delete-message.ts";
import * as contents from "../../lib/messages/remove/remove-content.ts";
import { dayMilliseconds } from "../../lib/time/clock.ts";
import { clockOf } from "./clock.ts";
import { openTableOf, report, type Shell } from "./command.ts";
import { defineMessageCommand, forEachMessage } from "./message-command.ts";

const recoveryDays = 35;

const aboutBackups = `
Point-in-time recovery keeps the deleted data for ${recoveryDays} days. If you restore the table to an earlier second,
"prepare-table --from OLD_TABLE" deletes it there, too. Other backups and exports keep it for as long as you keep them.
The exit status is 0 if the data are gone afterwards, so you can run the command again.`;

/** The time until which AWS can restore the deleted data. A local DynamoDB has no backups. */
export const recoverableUntil = (local: true | undefined, now: number): string | null =>
  local ? null : new Date(now + recoveryDays * dayMilliseconds).toISOString();

const nothingChanged = "the account has no such message; nothing was changed";

const noteOf = (recoverable_until: string | null): string =>
  recoverable_until ? `   (point-in-time recovery has it until ${recoverable_until})` : "";

export const deleteMessage = (shell: Shell) =>
  defineMessageCommand("delete-message", "delete messages")
    .option("--force", "block the id even if no message has it: no event can store one")
    .addHelpText("after", aboutBackups)
    .action(async (operands, { account, force, local, json }) => {
      const table = openTableOf({ local });
      const clock = await clockOf(shell, table);
      return forEachMessage(shell, operands, account, async (message) => {
        const { id } = message;
        const now = clock();
        const deletion = await messages.deleteMessage(table, message, now, force && { force });
        const isDeleted = deletion === "deleted" || deletion === "completed";
        const recoverable_until = isDeleted ? recoverableUntil(local, now) : null;
        const line = {
          deleted: `deleted   ${id}${noteOf(recoverable_until)}`,
          completed: `deleted   ${id}${noteOf(recoverable_until)}   (what an interrupted call had left)`,
          gone: `gone      ${id}   (nothing was left to delete; no event can store it again)`,
          unknown: `unknown   ${id}   (${nothingChanged}. --force blocks the id)`,
        };
        const object = {
          id,
          deleted: isDeleted,
          is_blocked: deletion !== "unknown",
          recoverable_until,
        };
        report(shell, json, object, line[deletion]);
      });
    });

const aboutOtherFields = `
The message keeps its other fields, such as sender and subject. Use delete-message to delete these, too.
Importing the same email again doesn't bring its content back.`;

export const removeContent = (shell: Shell) =>
  defineMessageCommand("remove-content", "delete the emails of messages (content: null)")
    .addHelpText("after", aboutBackups + aboutOtherFields)
    .action(async (operands, { account, local, json }) => {
      const table = openTableOf({ local });
      const clock = await clockOf(shell, table);
      return forEachMessage(shell, operands, account, async (message) => {
        const { id } = message;
        const now = clock();
        const content_removed = await contents.removeContent(table, message, now);
        const recoverable_until = content_removed ? recoverableUntil(local, now) : null;
        const line = content_removed
          ? `content removed   ${id}${noteOf(recoverable_until)}`
          : `unknown   ${id}   (${nothingChanged})`;
        report(shell, json, { id, content_removed, recoverable_until }, line);
      });
    });
