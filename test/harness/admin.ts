/** The operator's commands, run within the test: a process for each would take a second of a busy machine. */
import { Readable } from "node:stream";
import { runAdmin } from "../../infra/admin/program.ts";
import "./service.ts"; // makes the table

export type Ran = { status: number; stdout: string[]; stderr: string[]; terminal: string };

/**
 * Runs one command on the test's own table, and returns the lines that it printed.
 *
 * @param command the arguments with spaces between them, or as a list where one holds a space
 * @param terminal whether a person looks at it
 */
export const admin = async (
  command: string | string[],
  { input = "", terminal = false }: { input?: string | Buffer; terminal?: boolean } = {},
): Promise<Ran> => {
  const stdout: string[] = [];
  const stderr: string[] = [];
  let drawn = "";
  const write = (text: string): void => {
    drawn += text;
  };
  const args = typeof command === "string" ? command.split(" ").filter((arg) => arg !== "") : command;
  const status = await runAdmin(args, {
    print: (line) => stdout.push(line),
    complain: (line) => stderr.push(line),
    input: Readable.from([Buffer.from(input)]),
    terminal: terminal ? { write, columns: 80 } : undefined,
  });
  return { status, stdout, stderr, terminal: drawn };
};

/** The same with `--json`: the objects that it printed. */
export const adminJson = async (command: string, input: string | Buffer = "") => {
  const { stdout } = await admin(`${command} --json`, { input });
  return stdout.map((line) => JSON.parse(line));
};
