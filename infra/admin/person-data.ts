/**
 * What the table stores about a person. The index of persons has what an address received from an account or sent to one, its
 * memberships, and whatever an interrupted store or deletion has left of that. Only the whole table has what the address sent
 * from an account or received in one, and bounce notifications.
 */
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { normalAddress } from "../../lib/addresses/person.ts";
import { findMember, removeMember, type StoredMember, type User } from "../../lib/members/store.ts";
import { deleteListed, listBesideHead, listSegments } from "../../lib/messages/content/write-segments.ts";
import type { Head } from "../../lib/messages/head.ts";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import { deleteMessage } from "../../lib/messages/remove/delete-message.ts";
import { getItem } from "../../lib/table/get.ts";
import {
  headKey,
  headSort,
  type ItemKey,
  isRecipientSort,
  itemTypes,
  memberKey,
  messageOfKey,
  personKey,
  userKey,
} from "../../lib/table/keys.ts";
import { succeeds } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";
import { queryIndex } from "../person/query-index.ts";
import type { Shell } from "./command.ts";
import { itemByItem, scanTable } from "./scan.ts";

/** `unfinished`: what an interrupted store or deletion has left of a message. */
export type Kind = "message" | "unfinished" | "member" | "user";

export type Found = {
  kind: Kind;
  /** Names the thing without personal data. */
  ref: { account_id?: string; id: string };
  /** With personal data: for the operator, not for the record. */
  fields: object;
  text: string;
  /** Returns false if it was gone already, because somebody else has deleted it. */
  erase: (now: number) => Promise<boolean>;
};

const messageFound = (table: Table, { account_id, id, created_at, sender, recipient }: Head, note = ""): Found => ({
  kind: "message",
  ref: { account_id, id },
  fields: { created_at, sender, recipient },
  text: `${account_id} ${id}   ${sender} -> ${recipient}${note}`,
  erase: async (now) => (await deleteMessage(table, { account_id, id }, now)) === "deleted",
});

const unfinished = (table: Table, ref: MessageRef): Found => ({
  kind: "unfinished",
  ref,
  fields: {},
  text: `${ref.account_id} ${ref.id}   (left by an interrupted store or deletion)`,
  erase: async (now) => ["deleted", "completed"].includes(await deleteMessage(table, ref, now)),
});

/** An older version of the content of a message that stays, because it is somebody else's now. */
const oldContent = (table: Table, head: Head): Found => ({
  ...unfinished(table, { account_id: head.account_id, id: head.id }),
  erase: async () => (await deleteListed(table, head, await listSegments(table, head, head))) > 0,
});

const memberFound = (table: Table, member: StoredMember): Found => {
  const { account_id, id, user_id, email, role } = member;
  return {
    kind: "member",
    ref: { account_id, id },
    fields: { user_id, email, role },
    text: `${account_id} ${user_id}   ${email}, ${role}`,
    erase: () => removeMember(table, member),
  };
};

/** A tombstone has no `id`. */
const isMessage = (head: Partial<Head> | undefined): head is Head => head?.id !== undefined;

/** @param isUnended whether the tombstone is one of a deletion that hasn't ended */
const leftOf = async (table: Table, ref: MessageRef, isUnended: boolean): Promise<Found[]> =>
  isUnended || (await listBesideHead(table, ref)).length > 0 ? [unfinished(table, ref)] : [];

type Indexed = { ref: MessageRef; sorts: string[] };

/** The index may still have what was deleted a second ago, so each item is read from the table. */
const readMessage = async (table: Table, person: string, { ref, sorts }: Indexed): Promise<Found[]> => {
  const head = await getItem<Partial<Head>>(table, headKey(ref.account_id, ref.id), { consistent: true });
  if (!isMessage(head)) return leftOf(table, ref, head?.person !== undefined);
  if (head.person === person) return [messageFound(table, head)];
  if (sorts.some(isRecipientSort)) return [messageFound(table, head, "   (the address is in To or Cc)")];
  return (await listSegments(table, head, head)).length > 0 ? [oldContent(table, head)] : [];
};

const parallelReads = pLimit(20);

export const findByIndex = async (table: Table, address: string): Promise<Found[]> => {
  const messages = new Map<string, Indexed>();
  const members: ItemKey[] = [];
  for await (const page of queryIndex(table, address, { withLeftovers: true })) {
    for (const key of page) {
      if (!key.pk.startsWith(itemTypes.message)) members.push(key);
      else {
        const found = messages.get(key.pk) ?? { ref: messageOfKey(key), sorts: [] };
        messages.set(key.pk, { ...found, sorts: [...found.sorts, key.sk] });
      }
    }
  }
  const person = personKey(address);
  const found = await parallelReads.map([...messages.values()], (one) => readMessage(table, person, one));
  for (const { pk, sk } of members) {
    const [account_id, user_id] = [pk.slice(itemTypes.account.length), sk.slice(memberKey("", "").sk.length)];
    const member = await findMember(table, account_id, user_id);
    if (member) found.push([memberFound(table, member)]);
  }
  return found.flat();
};

type Scanned = ItemKey & Partial<Head> & StoredMember;

/** A tombstone of a deletion that began has `person`; that of a bounce notification has none. */
const readScanned = async (table: Table, item: Scanned, isTheirs: (address: string) => boolean): Promise<Found[]> => {
  if (item.sk !== headSort) return isTheirs(item.email) ? [memberFound(table, item)] : [];
  if (!isMessage(item)) return leftOf(table, messageOfKey(item), item.person !== undefined);
  const head = item as unknown as Head;
  return [head.sender, head.recipient].some(isTheirs) ? [messageFound(table, head)] : [];
};

/** Also finds what is left of anybody's message by a deletion that was interrupted. */
export const findByScan = (
  shell: Shell,
  table: Table,
  bytes: number | undefined,
  addresses: readonly string[],
): Promise<Found[]> => {
  const theirs = new Set(addresses.map(normalAddress));
  const isTheirs = (address: string) => theirs.has(normalAddress(address));
  const filter = {
    FilterExpression: "sk = :head OR begins_with(sk, :member)",
    ExpressionAttributeValues: { ":head": headSort, ":member": memberKey("", "").sk },
    only: ["account_id", "id", "created_at", "sender", "recipient", "email", "user_id", "role", "person"],
    bytes,
  };
  return scanTable(
    shell,
    table,
    filter,
    itemByItem((item: Scanned) => readScanned(table, item, isTheirs)),
  );
};

export const findUserOf = async (table: Table, address: string): Promise<Found[]> => {
  const user = await getItem<User>(table, userKey(address), { consistent: true });
  if (!user) return [];
  const { id, email, created_at } = user;
  const command = new DeleteCommand({
    TableName: table.name,
    Key: userKey(email),
    ConditionExpression: "id = :id",
    ExpressionAttributeValues: { ":id": id },
  });
  const erase = () => succeeds(() => table.client.send(command));
  return [{ kind: "user", ref: { id }, fields: { email, created_at }, text: `${id}   ${email}`, erase }];
};
