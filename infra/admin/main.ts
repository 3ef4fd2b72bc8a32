/** `npm run admin -- COMMAND`: what an operator does on the table. */
import { runAdmin } from "./program.ts";

process.exitCode = await runAdmin(process.argv.slice(2), {
  print: console.log,
  complain: console.error,
  input: process.stdin,
  terminal: process.stderr.isTTY ? process.stderr : undefined,
});
