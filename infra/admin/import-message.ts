/** `import-message` reads emails from files, mboxes and folders, and stores each email as a message. */
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { dayMilliseconds } from "../../lib/time/clock.ts";
import { isInRange } from "../../lib/time/timestamp.ts";
import { UserError } from "../cli/user-error.ts";
import { findMail } from "../mail/find-mail.ts";
import {
  externalIdFromSes,
  externalIdInHeader,
  type Imported,
  type ImportOutcome,
  importMail,
  mostOtherRecipients,
} from "../mail/import-mail.ts";
import { clockOf } from "./clock.ts";
import { collect, days, defineCommand, openTableOf, report, type Shell, uuid } from "./command.ts";
import { countOutcomes } from "./outcomes.ts";

const names = {
  stored: "stored",
  "content added": "email added",
  "there already": "there already",
  deleted: "deleted before, skipped",
} as const satisfies Record<ImportOutcome, string>;

const failed = "failed";
const skipped = "no email, skipped";

/** So many files that are no emails, and so many doubts, are printed without `--json`. */
const maximumNotes = 20;

const date = (value: string): Date => {
  const time = new Date(value);
  if (Number.isNaN(time.getTime()) || !isInRange(time)) {
    throw new InvalidArgumentError("It takes a date such as 2027-01-31.");
  }
  return time;
};

const headerName = (value: string): string => {
  if (/^[\x21-\x39\x3b-\x7e]{1,255}$/.test(value)) return value;
  throw new InvalidArgumentError("It takes the name of a header, such as X-Order.");
};

const examples = `
Examples:
  import-message --account UUID --domain UUID letter.eml
  import-message --account UUID --domain UUID Maildir/ Takeout/All.mbox
  import-message --account UUID --domain UUID --direction incoming - < letter.eml

The id of a message is derived from the account and the email. So after an interruption, run the same import
again: messages that exist stay as they are, and messages that were deleted stay deleted. Have events stored the
messages before? Then pass --external-id or --from, and the emails are added to them. Of an email that SES has sent to
several people, only the message of the first in To gets it.`;

export const importMessage = (shell: Shell) =>
  defineCommand("import-message", "store emails as messages")
    .argument("<file...>", "an email, an mbox, a Maildir or a folder with these; - is standard input")
    .requiredOption("--account <uuid>", "the account of the messages", uuid)
    .requiredOption("--domain <uuid>", "the domain of the messages: any UUID that you choose", uuid)
    .addOption(
      new Option("--direction <direction>", "the direction of the messages")
        .choices(["incoming", "outgoing"] as const)
        .default("outgoing" as const),
    )
    .option("--sender <address>", "the sender of emails without a sender")
    .option("--recipient <address>", "the recipient of emails without a recipient")
    .option("--status <text>", "the status of the messages (default: sent or received)")
    .option("--tag <tag>", "a tag of the messages, once or more", collect(String))
    .option("--retain-days <number>", "how long the messages are kept", days, 30)
    .addOption(
      new Option("--retain-until <date>", "the time when the messages expire").argParser(date).conflicts("retainDays"),
    )
    .option(
      "--external-id <header>",
      "the header with the external_id of outgoing messages, such as X-Order",
      headerName,
    )
    .addOption(
      new Option("--from <service>", "the service that has sent the emails and knows their ids")
        .choices(["ses"] as const)
        .conflicts("externalId"),
    )
    .option("--restore-deleted", "store messages again that were deleted (default: skip them)")
    .addHelpText("after", examples)
    .action(async (paths, options) => {
      const { account, domain, direction, sender, recipient, status, retainDays, retainUntil, json } = options;
      const { externalId: header, from } = options;
      const externalId = header ? externalIdInHeader(header) : from && externalIdFromSes;
      if (externalId && direction === "incoming") {
        throw new UserError(
          "--external-id and --from take outgoing mail: strangers write the headers of incoming mail",
          2,
        );
      }
      const table = openTableOf(options);
      const files = await findMail(paths, shell.input);
      const now = (await clockOf(shell, table))();
      if (retainUntil && retainUntil.getTime() <= now)
        throw new UserError("--retain-until takes a date in the future", 2);
      const fields = {
        account_id: account,
        domain_id: domain,
        direction,
        sender,
        recipient,
        tags: options.tag ?? [],
        status: status ?? (direction === "incoming" ? "received" : "sent"),
        retain_until: retainUntil ?? new Date(now + retainDays * dayMilliseconds),
      };
      const totalBytes = files.reduce((total, { bytes }) => total + bytes, 0);
      const outcomes = countOutcomes(shell, "emails", [...Object.values(names), failed, skipped], totalBytes);
      let total = 0;
      let lastId = "";
      let noteCount = 0;
      const note = (line: string): void => {
        noteCount++;
        if (!json && noteCount <= maximumNotes) shell.print(line);
      };
      const reportEmail = (imported: Imported): void => {
        const { source, bytes } = imported;
        total++;
        if ("skipped" in imported) {
          const { skipped: reason } = imported;
          const print = () => report(shell, json, { file: source, skipped: reason });
          outcomes.add(skipped, bytes, json ? print : () => note(`${source}: ${reason}`));
        } else if ("error" in imported) outcomes.add(failed, bytes, () => shell.fail(imported.error, source));
        else {
          const { id, message_id, outcome, unindexed, doubt } = imported;
          lastId = id;
          const is_new = outcome === "stored";
          const is_deleted = outcome === "deleted";
          const object = {
            id,
            file: source,
            message_id,
            account_id: account,
            is_new,
            is_deleted,
            ...(unindexed > 0 && { unindexed }),
            doubt,
          };
          const notes = [
            ...(is_new ? [] : [names[outcome]]),
            ...(unindexed > 0
              ? [`${unindexed} of its recipients can't find it: only ${mostOtherRecipients} are indexed`]
              : []),
          ];
          const line = `${id}  ${source}${notes.map((note) => `  (${note})`).join("")}`;
          // We don't print a line for each file of a folder, because on a terminal, thousands of lines would hide the
          // errors.
          const isPrinted = json || unindexed > 0 || !shell.terminal || paths.includes(source);
          const print = isPrinted ? () => report(shell, json, object, line) : undefined;
          outcomes.add(names[outcome], bytes, print);
          if (doubt) note(`${source}: ${doubt}`);
        }
      };
      const { restoreDeleted } = options;
      await importMail(table, files, fields, now, reportEmail, { restoreDeleted, externalId }).finally(outcomes.end);
      if (noteCount > maximumNotes && !json)
        shell.print(`… and ${noteCount - maximumNotes} more notes. --json prints all`);
      if (!json && total !== 1) shell.print(outcomes.summary());
      if (!json && options.local && lastId !== "") {
        const page = `http://127.0.0.1:${process.env.PORT ?? 3000}/messages`;
        shell.print(total === 1 ? `${page}#${account}/${lastId}` : page);
      }
    });
