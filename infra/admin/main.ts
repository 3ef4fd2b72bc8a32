/** `npm run admin -- COMMAND`: the operator's commands. */
import { setTimeout as sleep } from "node:timers/promises";
import { runAdmin } from "./program.ts";

// If a command such as `head` closes the pipe early, we exit with status 141, as if SIGPIPE had ended the program.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(141));

process.exitCode = await runAdmin(process.argv.slice(2), {
  print: console.log,
  complain: console.error,
  input: process.stdin,
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  sleep,
});
