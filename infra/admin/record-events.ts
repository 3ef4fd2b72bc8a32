/** `record-events`: what the queue's function does, for events in files. */

import { stat } from "node:fs/promises";
import { showProgress } from "../progress.ts";
import { defineCommand, openTableOf, type Shell, summaryOf } from "./command.ts";
import { emailFolder } from "./events/email-folder.ts";
import { type Recorded, recordLines } from "./events/record-lines.ts";

const examples = `
Examples:
  record-events --local events.jsonl
  record-events --emails outbox/ events.jsonl
  pipeline | record-events -

An event counts once, however often it is recorded: what was interrupted is taken up by running it again.
"npm run -s event-schema" prints what an event may say.`;

const bytesOf = async (paths: string[]): Promise<number> => {
  if (paths.includes("-")) return 0;
  const sizes = paths.map((path) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

export const recordEvents = (shell: Shell) =>
  defineCommand("record-events", "record what happened to messages, each event once")
    .argument("<file...>", "one JSON event a line; - is standard input")
    .option("--emails <folder>", "where the raw emails of message.stored are, by their keys")
    .addHelpText("after", examples)
    .action(async (paths, options) => {
      const { emails, json } = options;
      const table = openTableOf(options);
      const progress = showProgress(shell.terminal, "events", await bytesOf(paths));
      const outcomes = { recorded: 0, repeated: 0, expired: 0, failed: 0 };

      const hear = (recorded: Recorded): void => {
        const { source, bytes } = recorded;
        progress.add(bytes);
        if ("error" in recorded) {
          outcomes.failed++;
          progress.above(() => shell.fail(recorded.error, source));
          return;
        }
        const { event, outcome } = recorded;
        outcomes[outcome]++;
        if (json) shell.printJson({ source, id: event.id, type: event.type, outcome });
      };
      try {
        await recordLines(table, paths, emailFolder(emails), Date.now, shell.input, hear);
      } finally {
        progress.end();
      }
      if (!json) shell.print(summaryOf(outcomes, "events"));
    });
