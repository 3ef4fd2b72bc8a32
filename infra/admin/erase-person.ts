/** `erase-person`: finds everything that the table stores about an email address, and deletes it. */
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { addressDomain } from "../../lib/addresses/address.ts";
import { removeMember, type StoredMember, type User } from "../../lib/members/store.ts";
import { deleteMessage } from "../../lib/messages/remove/delete-message.ts";
import { getItem } from "../../lib/table/get.ts";
import { headSort, type ItemKey, memberKey, userKey } from "../../lib/table/keys.ts";
import { succeeds } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { showDuring } from "../cli/progress.ts";
import { UserError } from "../cli/user-error.ts";
import { clockOf } from "./clock.ts";
import { defineCommand, openTableOf, readOperands, report, type Shell } from "./command.ts";
import { recoverableUntil } from "./delete-messages.ts";
import { hasSegments } from "./message-command.ts";
import { announceScan, describeTable, itemByItem, scanPrice, scanTable } from "./scan.ts";

/** Two addresses are the same if they differ only in case, or in the spelling of an international domain. */
const normalAddress = (address: string): string | null => {
  const domain = addressDomain(address);
  return domain && `${address.slice(0, address.lastIndexOf("@")).toLowerCase()}@${domain}`;
};

type ScannedHead = {
  account_id: string;
  id: string;
  created_at?: string;
  sender?: string;
  recipient?: string;
};
type Scanned = ScannedHead & StoredMember;

const fields = ["account_id", "id", "created_at", "sender", "recipient", "email", "user_id", "role"];

type Found = {
  kind: Kind;
  fields: object;
  text: string;
  erase: (table: Table, now: number) => Promise<unknown>;
};

/**
 * An interrupted deletion leaves a tombstone without sender and recipient, so a search for anybody finds its segments.
 */
const unfinishedDeletion = async (table: Table, pk: string): Promise<Found[]> => {
  const [, account_id = "", id = ""] = pk.split("#");
  if (!(await hasSegments(table, { account_id, id }))) return [];
  const erase = (table: Table, now: number) => deleteMessage(table, { account_id, id }, now);
  return [{ kind: "unfinished deletion", fields: { account_id, id }, text: `${account_id} ${id}`, erase }];
};

const isOf = (addresses: ReadonlySet<string>) => (address: string) =>
  addresses.has(normalAddress(address) ?? address.toLowerCase());

const findIn = async (
  table: Table,
  item: Scanned & { pk: string; sk: string },
  isTheirs: (address: string) => boolean,
): Promise<Found[]> => {
  if (item.sk !== headSort) {
    const { account_id, id, user_id, email, role } = item;
    if (!isTheirs(email)) return [];
    const erase = (table: Table) => removeMember(table, item);
    const text = `${account_id} ${user_id}   ${email}, ${role}`;
    return [{ kind: "member", fields: { account_id, id, user_id, email, role }, text, erase }];
  }
  if (item.created_at?.startsWith("2") !== true) return unfinishedDeletion(table, item.pk);
  const { account_id, id, created_at, sender = "", recipient = "" } = item;
  if (![sender, recipient].some(isTheirs)) return [];
  const erase = (table: Table, now: number) => deleteMessage(table, { account_id, id }, now);
  const text = `${account_id} ${id}   ${sender} -> ${recipient}`;
  return [{ kind: "message", fields: { account_id, id, created_at, sender, recipient }, text, erase }];
};

const findUserOf = async (table: Table, address: string): Promise<Found[]> => {
  const user = await getItem<User>(table, userKey(address), { consistent: true });
  if (!user) return [];
  const { id, email, created_at } = user;
  const command = new DeleteCommand({
    TableName: table.name,
    Key: userKey(email),
    ConditionExpression: "id = :id",
    ExpressionAttributeValues: { ":id": id },
  });
  const erase = (table: Table) => succeeds(() => table.client.send(command));
  return [{ kind: "user", fields: { id, email, created_at }, text: `${id}   ${email}`, erase }];
};

const plurals = {
  message: "messages",
  "unfinished deletion": "unfinished deletions",
  member: "members",
  user: "users",
} as const;
type Kind = keyof typeof plurals;
const kinds = Object.keys(plurals) as Kind[];

const findAll = async (
  shell: Shell,
  table: Table,
  bytes: number | undefined,
  named: readonly string[],
): Promise<Found[]> => {
  const isTheirs = isOf(new Set(named.map((address) => normalAddress(address) ?? "")));
  const filter = {
    FilterExpression: "sk = :head OR begins_with(sk, :member)",
    ExpressionAttributeValues: { ":head": headSort, ":member": memberKey("", "").sk },
    only: fields,
    bytes,
  };
  const read = itemByItem((item: Scanned & ItemKey) => findIn(table, item, isTheirs));
  const found = await scanTable(shell, table, filter, read);
  // We delete the user last, so that an interrupted run leaves no member without a user.
  for (const address of new Set(named.map((one) => one.toLowerCase()))) {
    found.push(...(await findUserOf(table, address)));
  }
  return found;
};

/**
 * A request can still read the user for a second after the deletion, and then create a membership within 28 s, so we
 * search again after 30 s.
 */
const longestAddSeconds = 30;

const waitForAdds = ({ sleep, terminal }: Shell): Promise<unknown> => {
  const line = `waiting ${longestAddSeconds} s for requests that have read the deleted user`;
  return showDuring(terminal, line, () => sleep(longestAddSeconds * 1000));
};

const summaryOf = (counts: ReadonlyMap<Kind, number>): string =>
  kinds
    .filter((kind) => counts.has(kind))
    .map((kind) => `${counts.get(kind)} ${counts.get(kind) === 1 ? kind : plurals[kind]}`)
    .join(", ");

const explanation = `
Reads the whole table (${scanPrice}) and lists the messages whose sender or recipient is the address, the memberships,
and the user. With --delete, it then deletes them one after the other. If there was a user, it waits ${longestAddSeconds} seconds and
reads the table again, because a request may have added the user to an account meanwhile.
After an interruption, wait as long and run it again.
It doesn't see an address in Cc, in another header or in the text of a message. The runbook lists what remains.`;

export const erasePerson = (shell: Shell) =>
  defineCommand("erase-person", "list, or delete, what is stored about an email address")
    .argument("<email...>", "the person's addresses, in one scan; - reads them from standard input")
    .option("--delete", "delete what is found (default: only list it)")
    .addHelpText("after", explanation)
    .action(async (operands, { delete: isDeletion = false, local, json }) => {
      const named = await readOperands(operands, shell);
      const wrong = named.find((address) => normalAddress(address) === null);
      if (wrong !== undefined) throw new UserError(`${wrong}: not an email address`, 2);
      const table = openTableOf({ local });
      const clock = await clockOf(shell, table);
      const description = await describeTable(table);
      announceScan(shell, json, table, description);

      const counts = new Map<Kind, number>();
      for (let isOver = false; !isOver; ) {
        const found = await findAll(shell, table, description.TableSizeBytes, named);
        const now = clock();
        for (const { kind, fields, text, erase } of found) {
          if (isDeletion) await erase(table, now);
          counts.set(kind, (counts.get(kind) ?? 0) + 1);
          const line = `${isDeletion ? "deleted" : "found"}   ${kind}   ${text}`;
          report(shell, json, { kind, ...fields, deleted: isDeletion }, line);
        }
        isOver = !isDeletion || found.every(({ kind }) => kind !== "user");
        if (!isOver) await waitForAdds(shell);
      }

      const end = recoverableUntil(local, clock());
      const recovery = end && isDeletion ? `. Point-in-time recovery has them until ${end}` : "";
      const hint = isDeletion ? recovery : ". Nothing was deleted: --delete does";
      const total = summaryOf(counts);
      if (!json) shell.print(total === "" ? "nothing found" : `${isDeletion ? "deleted" : "found"} ${total}${hint}`);
    });
