/** `import-message`: stores emails from files, with what their headers say of them. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { readEnvelope } from "../../lib/messages/envelope.ts";
import { storeMessage } from "../../lib/messages/store.ts";
import { collect, defineCommand, forEach, openTableOf, report, type Shell, uuid } from "./command.ts";
import { explain } from "./explain.ts";

const day = 24 * 60 * 60 * 1000;

const days = (value: string): number => {
  const count = Number(value);
  if (Number.isInteger(count) && count > 0 && count <= 36_500) return count;
  throw new InvalidArgumentError("It takes a number of days from 1 to 36500.");
};

const futureDate = (value: string): Date => {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError("It takes a date such as 2027-01-31.");
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError("It takes a date that is to come.");
  return time;
};

/** What the headers say of the message. */
const readFields = (raw: Buffer) => {
  const { date, ...fields } = readEnvelope(raw);
  if (!fields.sender) throw new Error("its headers name no sender");
  if (!fields.recipient) throw new Error("its headers name no recipient");
  return { ...fields, sent_at: date };
};

export const importMessage = (shell: Shell) =>
  defineCommand("import-message", "store emails from files, so that Get Message serves them")
    .argument("<file...>", "emails; - is standard input")
    .requiredOption("--account <uuid>", "the account that the messages belong to", uuid)
    .requiredOption("--domain <uuid>", "the domain that they were sent from, or to", uuid)
    .addOption(
      new Option("--direction <direction>", "which way they went")
        .choices(["incoming", "outgoing"] as const)
        .default("outgoing" as const),
    )
    .option("--status <text>", "their status (default: sent, or received)")
    .option("--tag <tag>", "a tag, once or more", collect(String))
    .option("--retain-days <number>", "how long they are kept", days, 30)
    .addOption(
      new Option("--retain-until <date>", "until when they are kept")
        .argParser(futureDate)
        .conflicts("retainDays"),
    )
    .action(async (files, options) => {
      const now = Date.now();
      const { direction, status, tag = [], retainDays, retainUntil, json } = options;
      const common = {
        account_id: options.account,
        domain_id: options.domain,
        direction,
        tags: tag,
        status: status ?? (direction === "incoming" ? "received" : "sent"),
        retain_until: retainUntil ?? new Date(now + retainDays * day),
      };
      const table = openTableOf(options);
      await forEach(shell, files, async (file) => {
        try {
          const raw = file === "-" ? await buffer(shell.input) : await readFile(file);
          const message = { ...common, ...readFields(raw), id: randomUUID() };
          await storeMessage(table, message, raw, now);
          const { id, message_id, account_id } = message;
          report(shell, json, { id, file, message_id, account_id }, `${id}  ${file}`);
        } catch (error) {
          throw new Error(`${file}: ${explain(error as Error)}`);
        }
      });
    });
