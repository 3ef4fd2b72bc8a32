/** `erase-person`: finds what the table stores about email addresses, deletes it, and says what it did and what remains. */
import { Option } from "@commander-js/extra-typings";
import { addressDomain } from "../../lib/addresses/address.ts";
import { normalAddress } from "../../lib/addresses/person.ts";
import { longestEventDays } from "../../lib/events/redelivery.ts";
import { NewMember } from "../../lib/members/member.ts";
import { sha256 } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { dayMilliseconds } from "../../lib/time/clock.ts";
import { showDuring } from "../cli/progress.ts";
import { UserError } from "../cli/user-error.ts";
import { clockOf } from "./clock.ts";
import { defineCommand, openTableOf, readOperands, report, type Shell } from "./command.ts";
import { recoverableUntil } from "./delete-messages.ts";
import { type Found, findByIndex, findByScan, findUserOf, type Kind } from "./person-data.ts";
import { announceScan, describeTable, scanPrice } from "./scan.ts";

/** A member's address may be none by the standard, such as `a..b@example.com`. */
const isAddress = (text: string): boolean =>
  addressDomain(text) !== null || NewMember.shape.email.safeParse(text).success;

const plurals = {
  message: "messages",
  unfinished: "unfinished messages",
  member: "members",
  user: "users",
} as const satisfies Record<Kind, string>;
const kinds = Object.keys(plurals) as Kind[];

const summaryOf = (found: readonly Found[]): string =>
  kinds
    .map((kind) => [kind, found.filter((one) => one.kind === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${count === 1 ? kind : plurals[kind]}`)
    .join(", ");

/**
 * The index shows a write about a second later. And a request can still read the user for a second after its deletion, and
 * then create a membership within 28 s. So the last look comes later than that.
 */
const indexSeconds = 5;
const longestAddSeconds = 60;

const waitForOthers = ({ sleep, terminal }: Shell, hadUser: boolean): Promise<unknown> => {
  const seconds = hadUser ? longestAddSeconds : indexSeconds;
  const reason = hadUser ? "for requests that have read the deleted user" : "for the index";
  return showDuring(terminal, `waiting ${seconds} s ${reason}`, () => sleep(seconds * 1000));
};

/** Each look finds less, unless somebody keeps storing. */
const mostLooks = 10;

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** What no command can delete, and until when it is there. */
const notReached = (local: true | undefined, isScan: boolean, now: number) => [
  { what: "point-in-time recovery, until", until: recoverableUntil(local, now) },
  {
    what: "events that wait in the queue or as dead letters, until",
    until: isoOf(now + longestEventDays * dayMilliseconds),
  },
  { what: "raw emails in the intake's bucket, until", until: isoOf(now + longestEventDays * dayMilliseconds) },
  { what: "stored responses that name the user's id, until", until: isoOf(now + dayMilliseconds) },
  { what: "other backups and exports of yours", until: null },
  {
    what: "emails that name the address only in other headers, in their text, or after the first 50 of To and Cc",
    until: null,
  },
  ...(isScan
    ? []
    : [
        {
          what: "what the address sent from an account or received in one, and bounce notifications (see --scan)",
          until: null,
        },
      ]),
];

const explanation = `
Without --scan, it looks into the index of persons: messages to the address from your accounts and from the address to
them, imported emails that have it in To or Cc, memberships, the user, and whatever interrupted stores and deletions left.
Only --scan finds what the address sent from an account or received in one, and bounce notifications. It reads the whole
table (${scanPrice}), once for all the addresses.
With --delete, it deletes what it finds, and says what it deleted and what was gone already. Then it waits ${indexSeconds} seconds and
looks again, or ${longestAddSeconds} if there was a user, because a request may have added the user to an account meanwhile. Messages
are deleted as a whole. The last object of --json is a record without the address: keep it as evidence.
--verify only looks, and its exit status is 1 if anything is left. The record says when an event could bring data back at
the latest; verify again then. If it was interrupted, run it again.`;

export const erasePerson = (shell: Shell) =>
  defineCommand("erase-person", "list, or delete, what is stored about an email address")
    .argument("<email...>", "the person's addresses; - reads them from standard input")
    .option("--delete", "delete what is found (default: only list it)")
    .addOption(new Option("--verify", "only look: exit status 1 if anything is left").conflicts("delete"))
    .option("--scan", "also read the whole table, for what the index doesn't have")
    .addHelpText("after", explanation)
    .action(async (operands, { delete: isDeletion = false, verify = false, scan = false, local, json }) => {
      const named = await readOperands(operands, shell);
      const wrong = named.find((address) => !isAddress(address));
      if (wrong !== undefined) throw new UserError(`${wrong}: not an email address`, 2);
      const addresses = [...new Set(named.map(normalAddress))];
      const table = openTableOf({ local });
      const clock = await clockOf(shell, table);
      const began_at = isoOf(clock());
      const description = scan ? await describeTable(table) : {};
      if (scan) announceScan(shell, json, table, description);

      const look = () => findAll(shell, table, addresses, scan ? { bytes: description.TableSizeBytes } : undefined);
      const deleted: Found[] = [];
      const gone: Found[] = [];
      let found = await look();
      let looks = 1;
      for (; isDeletion && (found.length > 0 || looks === 1); looks++) {
        if (looks === mostLooks)
          throw new UserError("Somebody keeps storing data of the person. Run the command again");
        for (const one of found) {
          const isDeleted = await one.erase(clock());
          (isDeleted ? deleted : gone).push(one);
          const { kind, ref, fields, text } = one;
          const line = `${isDeleted ? "deleted" : "gone"}   ${kind}   ${text}`;
          report(shell, json, { kind, ...ref, ...fields, deleted: isDeleted }, line);
        }
        await waitForOthers(
          shell,
          found.some(({ kind }) => kind === "user"),
        );
        found = await look();
      }
      for (const { kind, ref, fields, text } of found) {
        report(shell, json, { kind, ...ref, ...fields, deleted: false }, `found   ${kind}   ${text}`);
      }

      const now = clock();
      const not_reached = notReached(local, scan, now);
      const itemsOf = (list: Found[]) => list.map(({ kind, ref }) => ({ kind, ...ref }));
      if (json) {
        if (!isDeletion && !verify) return;
        shell.printJson({
          record: isDeletion ? "erasure" : "verification",
          table: table.name,
          address_digests: addresses.map(sha256),
          began_at,
          ended_at: isoOf(now),
          looked_into: scan ? ["index", "table"] : ["index"],
          looks,
          deleted: itemsOf(deleted),
          gone_already: itemsOf(gone),
          left: itemsOf(found),
          not_reached,
          verify_again_at: isoOf(now + longestEventDays * dayMilliseconds),
        });
      }
      if (verify && found.length > 0) shell.fail(new UserError(`${summaryOf(found)} left: --delete deletes them`));
      if (json) return;
      if (isDeletion) {
        const [own, others] = [summaryOf(deleted), summaryOf(gone)];
        if (own !== "") shell.print(`deleted ${own}`);
        else if (others === "") shell.print("deleted nothing, because nothing was found");
        if (others !== "") shell.print(`gone already: ${others}, which somebody else deleted meanwhile`);
        for (const { what, until } of not_reached) shell.print(`remains: ${what}${until === null ? "" : ` ${until}`}`);
        shell.print(
          `Run it with --verify after ${isoOf(now + longestEventDays * dayMilliseconds)}, when no event can wait any more`,
        );
      } else if (found.length === 0) shell.print("nothing found");
      else if (!verify) shell.print(`found ${summaryOf(found)}. Nothing was deleted: --delete does`);
    });

const keyOfFound = ({ kind, ref }: Found): string => `${kind} ${ref.account_id} ${ref.id}`;

/** @param scan the table's size, if the whole table is to be read, too */
const findAll = async (
  shell: Shell,
  table: Table,
  addresses: readonly string[],
  scan: { bytes: number | undefined } | undefined,
): Promise<Found[]> => {
  const found: Found[] = scan ? await findByScan(shell, table, scan.bytes, addresses) : [];
  for (const address of addresses) found.push(...(await findByIndex(table, address)));
  // We delete the user last, so that an interrupted run leaves no member without a user.
  for (const address of addresses) found.push(...(await findUserOf(table, address)));
  return [...new Map(found.map((one) => [keyOfFound(one), one])).values()];
};
