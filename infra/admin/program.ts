/** The program behind `npm run admin` runs a command, prints its errors and returns the exit status. */
import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, UserError } from "../cli/user-error.ts";
import { visible } from "../cli/visible.ts";
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "./api-keys.ts";
import type { Shell, Streams } from "./command.ts";
import { deleteMessage, removeContent } from "./delete-messages.ts";
import { erasePerson } from "./erase-person.ts";
import { findMessages } from "./find-messages.ts";
import { importMessage } from "./import-message.ts";
import { listMembers, removeMember, setMemberRole } from "./members.ts";
import { prepareTable } from "./prepare-table.ts";
import { recordEvents } from "./record-events.ts";
import { restoreContent } from "./restore-content.ts";
import { addSender, listSenders, removeSender } from "./senders.ts";
import { showMessage } from "./show-message.ts";

const groups = {
  "API keys:": [createApiKey, listApiKeys, rotateApiKey, revokeApiKey],
  "Members:": [listMembers, setMemberRole, removeMember],
  "Messages:": [findMessages, importMessage, recordEvents, showMessage, restoreContent, removeContent, deleteMessage],
  "Senders:": [addSender, listSenders, removeSender],
  "The table:": [erasePerson, prepareTable],
};

const introduction =
  "Commands of the operator on the table of the email API. TABLE_NAME names a deployed table, and the AWS SDK " +
  "finds region and credentials as usual. With --local, the commands use the table of npm start.";

const closing = `
npm run -s admin -- COMMAND --help shows the options of a command.
Exit status: 0 done, 1 something failed, 2 bad arguments.`;

/** An error may contain an API key, which must not appear in a log or a terminal. */
const withoutSecrets = (line: string): string => line.replaceAll(/emk_[\w-]+/g, "emk_…");

/** Commander writes `[options]` in the usage line even if one of them is required. */
const usageOf = ({ options, registeredArguments }: CommandUnknownOpts): string =>
  [
    ...options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags),
    "[options]",
    ...registeredArguments.map((argument) => `<${argument.name()}${argument.variadic ? "..." : ""}>`),
  ].join(" ");

/** Runs one of the operator's commands, and returns its exit status. */
export const runAdmin = async (args: string[], { print, complain, ...streams }: Streams): Promise<number> => {
  let status = 0;
  const shell: Shell = {
    ...streams,
    print: (line) => print(visible(line)),
    printJson: (object) => print(visible(JSON.stringify(object))),
    warn: (line) => complain(visible(line)),
    fail: (error, source) => {
      const line = source === undefined ? describe(error) : `${source}: ${describe(error)}`;
      complain(visible(withoutSecrets(line)));
      status = Math.max(status, error instanceof UserError ? error.exitStatus : 1);
    },
  };
  const program = new Command("npm run -s admin --")
    .description(introduction)
    .addHelpText("after", closing)
    .usage("COMMAND [options]")
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() });
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const command of commands) program.addCommand(command(shell));
  }
  for (const command of program.commands) command.usage(usageOf(command));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => {
        const path = command === program ? program.name() : `${program.name()} ${command.name()}`;
        const hint = text.startsWith("error: unknown") ? `. See ${path} --help` : "";
        const lines = text
          .replace(/^error: /, "")
          .trimEnd()
          .replace("\n(", " (")
          .split("\n");
        for (const line of lines) shell.fail(new UserError(line + hint, 2));
      },
    });
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    // Commander prints its own errors.
    if (!(error instanceof CommanderError)) shell.fail(error);
  }
  return status;
};
