/** The command `record-events` records events from files instead of the queue. */
import { stat } from "node:fs/promises";
import { clockOf } from "./clock.ts";
import { defineCommand, openTableOf, type Shell } from "./command.ts";
import { emailFolder } from "./events/email-folder.ts";
import { type Recorded, recordLines } from "./events/record-lines.ts";
import { countOutcomes } from "./outcomes.ts";

const names = ["recorded", "repeated", "expired", "failed"] as const;

const examples = `
Examples:
  record-events --local events.jsonl
  record-events --emails outbox/ events.jsonl
  pipeline | record-events -

Within 28 days, an event is recorded once, however often it occurs. So after an interruption, run the same command again.
"npm run -s event-schema" prints the JSON Schema of an event.`;

const bytesOf = async (paths: string[]): Promise<number> => {
  if (paths.includes("-")) return 0;
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => ({ size: 0 }))));
  return found.reduce((sum, { size }) => sum + size, 0);
};

export const recordEvents = (shell: Shell) =>
  defineCommand("record-events", "record events of messages, each event once")
    .argument("<file...>", "a file with one JSON event per line; - is standard input")
    .option("--emails <folder>", "the folder of the raw emails (raw_email is a path in it)")
    .addHelpText("after", examples)
    .action(async (paths, options) => {
      const { emails, json } = options;
      const table = openTableOf(options);
      const clock = await clockOf(shell, table);
      const outcomes = countOutcomes(shell, "events", names, await bytesOf(paths));
      const report = (recorded: Recorded): void => {
        const { source, bytes } = recorded;
        if ("error" in recorded) {
          outcomes.add("failed", bytes, () => shell.fail(recorded.error, source));
        } else {
          const { event, outcome } = recorded;
          const object = { source, id: event.id, type: event.type, outcome };
          outcomes.add(outcome, bytes, json && (() => shell.printJson(object)));
        }
      };
      await recordLines(table, paths, emailFolder(emails), clock, shell.input, report).finally(outcomes.end);
      if (!json) shell.print(outcomes.summary());
    });
