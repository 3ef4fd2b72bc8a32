/** The options and the environment variables of `npm start`. */
import { Command, CommanderError, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { UserError } from "../cli/user-error.ts";

const afterOptions = `
Environment:
  PORT            port of the API (3000); 0 takes any free port
  DYNAMODB_PORT   port of the embedded DynamoDB, for other programs (8000, or any free port if 8000 is in use)
  AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION and credentials
                  use another DynamoDB, such as DynamoDB Local, instead of the embedded one
  TABLE_NAME      the table; it is created if it does not exist (email-api)

The demonstration's API key changes with each start. Keys that you create yourself stay valid.`;

export type Options = {
  data?: string | undefined;
  seed?: string | undefined;
  api?: URL | undefined;
  table?: string | undefined;
  stage?: string | undefined;
};

/** Plain HTTP is allowed only to this machine: on a network, others could read the API key. */
const apiUrl = (value: string): URL => {
  const url = URL.parse(value);
  const isLocal = /^(localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? "");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return url;
  throw new InvalidArgumentError("It takes the address of an API, such as https://api.example.com.");
};

/** Returns the options, or `null` after printing the help. Throws a UserError if an argument is not valid. */
export const readOptions = (args: string[]): Options | null => {
  const command = new Command("npm start --")
    .description("Serves the API on this machine, with a demonstration account, until Ctrl-C.")
    .option("--data <file>", "keep the data in this file; without it, the data is in memory")
    .option("--seed <folder>", "also serve your own mail: a folder of emails, Maildirs and mboxes")
    .addOption(
      new Option("--api <url>", "serve the same pages for a deployed API, without an engine and a demonstration")
        .argParser(apiUrl)
        .conflicts(["data", "seed"]),
    )
    .addOption(
      new Option(
        "--table <name>",
        "serve the support desk for a deployed table, read-only, with your AWS credentials",
      ).conflicts(["data", "seed", "api"]),
    )
    .addOption(
      new Option("--stage <name>", "the same for a deployed stage, whose table it looks up").conflicts([
        "data",
        "seed",
        "api",
        "table",
      ]),
    )
    .addHelpText("after", afterOptions)
    .exitOverride()
    .configureOutput({ writeOut: (text) => console.log(text.trimEnd()), writeErr: () => {} });
  try {
    return command.parse(args, { from: "user" }).opts();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    const reason = error.message.replace(/^error: |\.$/g, "").replace("\n", " ");
    throw new UserError(`${reason}. See npm start -- --help`, 2);
  }
};

/**
 * Returns the port in an environment variable, or `fallback` if it isn't set. Throws a UserError if the value is not a
 * port.
 */
export const portOf = (variable: string, fallback: number): number => {
  const text = process.env[variable] ?? String(fallback);
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new UserError(`${variable} takes a port from 0 to 65535, not ${text}. See npm start -- --help`, 2);
};
