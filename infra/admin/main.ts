/** `npm run admin -- COMMAND`: the operator's commands. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe } from "../cli/user-error.ts";
import { runAdmin } from "./program.ts";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    // If a command such as `head` closes the pipe early, we exit with status 141, as if SIGPIPE had ended the program.
    if (code === "EPIPE") process.exit(141);
  });
}

let written: Promise<void> = Promise.resolve();
let isComplete = true;

const print = (line: string): void => {
  written = new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
  written.catch((error: NodeJS.ErrnoException) => {
    if (isComplete) console.error(`Standard output could not be written: ${describe(error)}`);
    isComplete = false;
  });
};

const status = await runAdmin(process.argv.slice(2), {
  print,
  complain: console.error,
  input: process.stdin,
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  sleep,
  written: () => written,
});
await written.catch(() => {});
process.exitCode = isComplete ? status : Math.max(status, 1);
