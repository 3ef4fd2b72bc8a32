/** What `npm start` can be told: by options, and by its environment. */
import { Command, CommanderError } from "@commander-js/extra-typings";
import { UserError } from "../user-error.ts";

const environment = `
Environment:
  PORT            where the API is served (3000); 0 takes any free port
  DYNAMODB_PORT   where programs reach the embedded DynamoDB (8000)
  AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION and credentials
                  another DynamoDB, such as DynamoDB Local, instead of the embedded one
  TABLE_NAME      its table, made if it is not there (email-api)`;

const newCommand = () =>
  new Command("npm start --")
    .description("Serves the API on this machine, with a demonstration account, until Ctrl-C.")
    .option("--data <file>", "keep the data in this file; without it, in memory")
    .option("--seed <folder>", "serve your own mail too: a folder of emails, Maildirs and mboxes")
    .addHelpText("after", environment)
    .exitOverride();

export type Options = { data?: string | undefined; seed?: string | undefined };

/**
 * Returns the options, or `null` when help was asked for, and has been printed.
 *
 * @throws UserError in one line
 */
export const readOptions = (args: string[]): Options | null => {
  const command = newCommand().configureOutput({ writeErr: () => {} });
  try {
    return command.parse(args, { from: "user" }).opts();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    throw new UserError(
      `${error.message.replace(/^error: /, "").replace("\n", " ")}: see npm start -- --help`,
    );
  }
};

/** Returns the port that a variable names. @throws UserError when it names none */
export const portOf = (variable: string, fallback: number): number => {
  const text = process.env[variable] ?? String(fallback);
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new UserError(`${variable} takes a port from 0 to 65535, not ${text}`);
};
