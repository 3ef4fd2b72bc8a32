/** Runs the operator's commands inside the test's process, because each new process takes a second. */
import { Readable } from "node:stream";
import type { Streams } from "../../infra/admin/command.ts";
import { runAdmin } from "../../infra/admin/program.ts";
import "./service.ts"; // creates the table

export type Ran = { status: number; stdout: string[]; stderr: string[]; terminal: string };

type Options = { input?: string | Buffer; terminal?: boolean } & Partial<Pick<Streams, "sleep" | "written">>;

/**
 * Runs one command on the test's own table. Returns the printed lines.
 *
 * @param command arguments separated by spaces, or a list if an argument contains a space
 * @param terminal whether the command writes to a terminal
 * @param written by default, everything could be printed
 * @param sleep by default, a command that waits goes on at once
 */
export const admin = async (
  command: string | string[],
  { input = "", terminal = false, sleep = async () => {}, written = async () => {} }: Options = {},
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
    sleep,
    written,
  });
  return { status, stdout, stderr, terminal: drawn };
};

/** Runs one command with `--json`. Returns the printed objects. */
export const adminJson = async (command: string, input: string | Buffer = "") => {
  const { stdout } = await admin(`${command} --json`, { input });
  return stdout.map((line) => JSON.parse(line));
};
