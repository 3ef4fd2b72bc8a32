/** All of the operator's commands as one program. */
import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, UserError } from "../user-error.ts";
import type { Shell } from "./command.ts";
import { createApiKey } from "./create-api-key.ts";
import { deleteMessage } from "./delete-message.ts";
import { importMessage } from "./import-message.ts";
import { listApiKeys } from "./list-api-keys.ts";
import { listMembers } from "./list-members.ts";
import { prepareTable } from "./prepare-table.ts";
import { recordEvents } from "./record-events.ts";
import { removeContent } from "./remove-content.ts";
import { removeMember } from "./remove-member.ts";
import { revokeApiKey } from "./revoke-api-key.ts";
import { rotateApiKey } from "./rotate-api-key.ts";
import { setMemberRole } from "./set-member-role.ts";
import { showMessage } from "./show-message.ts";

const groups = {
  "API keys:": [createApiKey, listApiKeys, rotateApiKey, revokeApiKey],
  "Members:": [listMembers, setMemberRole, removeMember],
  "Messages:": [importMessage, recordEvents, showMessage, removeContent, deleteMessage],
  "The table:": [prepareTable],
};

const introduction =
  "What an operator does on the table of the email API: the deployed one that TABLE_NAME names, with the AWS " +
  "SDK's usual region and credentials, or with --local the one that npm start runs.";

const closing = `
npm run -s admin -- COMMAND --help says what a command takes.
Exit status: 0 done, 1 something failed, 2 bad arguments.`;

/** A secret must not reach a terminal's scrollback or a log, however it came into a message. */
const withoutSecrets = (line: string): string => line.replaceAll(/emk_[\w-]+/g, "emk_…");

/** With the options that must be there: commander's own says "[options]" for all. */
const usageOf = ({ options, registeredArguments }: CommandUnknownOpts): string =>
  [
    ...options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags),
    "[options]",
    ...registeredArguments.map((argument) => `<${argument.name()}${argument.variadic ? "..." : ""}>`),
  ].join(" ");

/**
 * Runs one command.
 *
 * @param args the command's name and what follows it, as in `process.argv.slice(2)`
 * @returns the exit status: 0 done, 1 something failed, 2 bad arguments
 */
export const runAdmin = async (args: string[], shell: Shell): Promise<number> => {
  let status = 0;
  const complain = (line: string, worst: number): void => {
    shell.complain(withoutSecrets(line));
    status = Math.max(status, worst);
  };
  const program = new Command("npm run -s admin --")
    .description(introduction)
    .addHelpText("after", closing)
    .usage("COMMAND [options]")
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() });
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const command of commands) {
      program.addCommand(command({ ...shell, complain: (line) => complain(line, 1) }));
    }
  }
  for (const command of program.commands) command.usage(usageOf(command));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => shell.print(text.trimEnd()),
      writeErr: (text) =>
        complain(
          text
            .replace(/^error: /, "")
            .trimEnd()
            .replace("\n(", " ("),
          2,
        ),
    });
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    // What commander ends with, it has printed.
    if (!(error instanceof CommanderError))
      complain(describe(error), error instanceof UserError ? error.exitStatus : 1);
  }
  return status;
};
