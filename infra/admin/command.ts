/** Options, operands and output formats that all of the operator's commands share. */
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import * as z from "zod/mini";
import { openTable, type Table } from "../../lib/table/table.ts";
import { daySeconds } from "../../lib/time/clock.ts";
import { localEnvironment } from "../cli/local-environment.ts";
import type { Terminal } from "../cli/progress.ts";
import { UserError } from "../cli/user-error.ts";
import { visible } from "../cli/visible.ts";

/** `print` writes a line to standard output, and `complain` writes a line to standard error. */
export type Streams = {
  print: (line: string) => void;
  complain: (line: string) => void;
  input: Readable;
  /** Progress appears only on a terminal, because in a file it would be noise. */
  terminal?: Terminal | undefined;
  sleep: (ms: number) => Promise<unknown>;
  /** Resolves once all printed lines are written. @throws Error if one can't be, because the disk is full or the pipe closed */
  written: () => Promise<unknown>;
};

/** In a command's output, control characters are escaped. */
export type Shell = Pick<Streams, "print" | "input" | "terminal" | "sleep" | "written"> & {
  printJson: (object: object) => void;
  /** Prints a line to standard error that is no error. */
  warn: (line: string) => void;
  /**
   * Prints the error and sets the exit status, but returns: the command goes on. `source` is the file or line that
   * caused the error.
   */
  fail: (error: unknown, source?: string) => void;
};

export const defineCommand = (name: string, summary: string) =>
  new Command(name)
    .summary(summary)
    .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    .option("--local", "use the table of npm start instead of TABLE_NAME")
    .option("--json", "print one JSON object per line");

export const guid = z.guid();

/** Commander puts the name of the option before the error message. */
export const uuid = (value: string): string => {
  if (guid.safeParse(value).success) return value.toLowerCase();
  throw new InvalidArgumentError("It takes a UUID.");
};

const secondsOf = { m: 60, h: 60 * 60, d: daySeconds };
const isUnit = (text: string): text is keyof typeof secondsOf => text in secondsOf;

/** Turns "90d", "12h" or "30m" into seconds. */
export const duration = (value: string): number => {
  const [, amount, unit = ""] = /^([1-9]\d{0,5})([mhd])$/.exec(value) ?? [];
  if (amount && isUnit(unit)) return Number(amount) * secondsOf[unit];
  throw new InvalidArgumentError("It takes a time such as 90d, 12h or 30m.");
};

export const days = (value: string): number => {
  const count = Number(value);
  if (Number.isInteger(count) && count > 0 && count <= 36_500) return count;
  throw new InvalidArgumentError("It takes a number of days from 1 to 36500.");
};

/** Collects the values of an option that is given several times. */
export const collect =
  <T>(parse: (value: string) => T) =>
  (value: string, before: T[] = []): T[] => [...before, parse(value)];

/**
 * For `-`, reads operands from standard input, one per line.
 *
 * @throws UserError if standard input is empty
 */
export const readOperands = async (operands: string[], { input }: Shell): Promise<string[]> => {
  const read = operands.map(async (operand) => (operand === "-" ? (await text(input)).split("\n") : operand));
  const found = (await Promise.all(read)).flat().map((operand) => operand.trim());
  const named = found.filter((operand) => operand !== "");
  if (named.length > 0) return named;
  throw new UserError("Standard input is empty", 2);
};

/**
 * If one operand is wrong, we report it and go on with the next. Any other error, such as expired credentials, would meet
 * the next ones, too: it ends the command, and we say which operand was the first that may not be done.
 */
export const inTurn = async (
  shell: Shell,
  operands: string[],
  act: (operand: string) => Promise<void>,
): Promise<void> => {
  for (const [index, operand] of operands.entries()) {
    try {
      await act(operand);
    } catch (error) {
      if (error instanceof UserError) shell.fail(error);
      else return shell.fail(error, operands.length > 1 ? `${operand} (${index + 1} of ${operands.length})` : operand);
    }
  }
};

export const forEachOperand = async (
  shell: Shell,
  operands: string[],
  act: (operand: string) => Promise<void>,
): Promise<void> => inTurn(shell, await readOperands(operands, shell), act);

const localPort = (value: string): number => {
  const port = Number(value);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new UserError(`DYNAMODB_PORT takes a port from 1 to 65535, not ${value}`, 2);
};

/** Over a slow line of 1 Mbit/s, sending three segments (1.4 MB of JSON) takes about 11 s. */
const timeoutMs = 15_000;

/**
 * Opens the deployed table, or with `--local` the table of a running `npm start`.
 *
 * @throws UserError if no table is named
 */
export const openTableOf = ({ local }: { local?: true | undefined }): Table => {
  const { AWS_ENDPOINT_URL_DYNAMODB, TABLE_NAME, DYNAMODB_PORT } = process.env;
  if (local) {
    const ours = localEnvironment(localPort(DYNAMODB_PORT ?? "8000"));
    if (AWS_ENDPOINT_URL_DYNAMODB) process.env.TABLE_NAME = TABLE_NAME ?? ours.TABLE_NAME;
    else Object.assign(process.env, ours);
  } else if (!TABLE_NAME) {
    throw new UserError("Set TABLE_NAME to the name of the deployed table, or pass --local", 2);
  }
  return openTable({ timeoutMs, canWait: true });
};

export const report = (shell: Shell, json: true | undefined, object: object, ...lines: string[]): void => {
  if (json) shell.printJson(object);
  else for (const line of lines) shell.print(line);
};

const cell = (value: unknown): string => {
  if (Array.isArray(value)) return visible(value.join(" "));
  return value === null || value === undefined || value === "" ? "-" : visible(String(value));
};

/** Prints objects as the rows of a table, or with `--json` as one object per line. */
export const reportRows = (shell: Shell, json: true | undefined, objects: object[]): void => {
  const [first] = objects;
  if (!first) return;
  const rows = [Object.keys(first), ...objects.map((object) => Object.values(object).map(cell))];
  const widths = Object.keys(first).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: string[]) => row.map((entry, column) => entry.padEnd((widths[column] ?? 0) + 2)).join("");
  if (json) for (const object of objects) shell.printJson(object);
  else for (const row of rows) shell.print(lineOf(row).trimEnd());
};
