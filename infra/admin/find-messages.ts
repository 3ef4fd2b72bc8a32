/** `find-messages` answers "Ada didn't get my invoice": it lists the messages to and from an email address. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { addressDomain } from "../../lib/addresses/address.ts";
import { UserError } from "../cli/user-error.ts";
import { messagesOfPerson } from "../person/messages-of-person.ts";
import { clockOf } from "./clock.ts";
import { defineCommand, duration, openTableOf, reportRows, type Shell, uuid } from "./command.ts";

/** A filter may match nothing, so we stop after so many messages: 500 read units. */
const mostCandidates = 1000;

const mostSubjectCharacters = 60;

/** Returns the time in ISO 8601, when asked at `now`. */
const moment = (value: string): ((now: number) => string) => {
  const date = Date.parse(value);
  const ago = /^\d{4}-/.test(value) ? 0 : duration(value) * 1000;
  if (ago > 0) return (now) => new Date(now - ago).toISOString();
  if (Number.isFinite(date)) return () => new Date(date).toISOString();
  throw new InvalidArgumentError("It takes a time ago such as 7d or 12h, or a date such as 2026-11-20.");
};

const upToThousand = (value: string): number => {
  if (/^[1-9]\d{0,3}$/.test(value) && Number(value) <= mostCandidates) return Number(value);
  throw new InvalidArgumentError(`It takes a number from 1 to ${mostCandidates}.`);
};

const withoutBrackets = (message_id: string): string => message_id.trim().replace(/^<(.*)>$/s, "$1");

const explanation = `
Lists outgoing messages to the address and incoming messages from it, and imported emails that have it in To or Cc, with
the status that they have now. --since and --until compare the time of sending, or of storing if it isn't known. The index
has the time of storing, so the newest are those that were stored last: of imported emails, those that were imported
last. 50 messages cost 27 read units, whatever the size of the table. A filter reads at most ${mostCandidates} messages.
A message appears about a second after it was stored. Case doesn't matter, but ada+news@example.com is another address.
It doesn't see bounce notifications, whose sender is a mail server, nor addresses in the text.`;

export const findMessages = (shell: Shell) =>
  defineCommand("find-messages", "list the messages to and from an email address, newest first")
    .argument("<email>", "the address of the person")
    .option("--account <uuid>", "only messages of this account (default: of all accounts)", uuid)
    .option("--since <time>", "only messages since then: 7d ago, or a date", moment)
    .option("--until <time>", "only messages until then", moment)
    .option("--status <text>", "only messages that have this status now, such as bounced")
    .option("--message-id <text>", "only messages with this Message-ID")
    .option("--limit <number>", "how many messages to list", upToThousand, 50)
    .addHelpText("after", explanation)
    .action(async (email, { status, messageId, limit, local, json, account, since, until }) => {
      if (addressDomain(email) === null) throw new UserError(`${email}: not an email address`, 2);
      const table = openTableOf({ local });
      const now = (await clockOf(shell, table))();
      const range = { account, since: since?.(now), until: until?.(now) };
      const isFiltered = status !== undefined || messageId !== undefined || until !== undefined;
      const pageSize = isFiltered ? mostCandidates : limit;
      const found: object[] = [];
      let candidates = 0;
      for await (const message of messagesOfPerson(table, email, { ...range, pageSize, now })) {
        candidates++;
        if (message && (status === undefined || message.head.status === status)) {
          const { head } = message;
          const isWanted = messageId === undefined || withoutBrackets(head.message_id) === withoutBrackets(messageId);
          const subject = json ? head.subject : head.subject.slice(0, mostSubjectCharacters).toWellFormed();
          const { updated_at, sent_at, direction, account_id, id } = head;
          const url = `/messages#${account_id}/${id}`;
          const row = { updated_at, status: head.status, direction, sent_at, subject, account_id, id, url };
          if (isWanted) found.push(row);
        }
        if (found.length === limit || candidates === mostCandidates) break;
      }
      reportRows(shell, json, found);
      if (json) return;
      if (candidates === mostCandidates && found.length < limit) {
        shell.print(`stopped after ${mostCandidates} messages; --since or --account narrows the search`);
      } else if (found.length === 0) shell.print("no message found");
    });
