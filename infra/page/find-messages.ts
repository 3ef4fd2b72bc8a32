/** Finds messages for the desk: a page of a person's messages, or the newest of a small table. */
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import type { MessageRef } from "../../lib/messages/message-ref.ts";
import { messageOfKey, personIndex } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { isOfMessage, storedSince } from "../person/messages-of-person.ts";
import { type Indexed, queryIndex } from "../person/query-index.ts";
import { readRow } from "./read-row.ts";
import type { DeskMessage, FoundPage } from "./served.ts";
import type { Search } from "./source.ts";

/** A page costs about 27 read units, and 52 if each message has more than two attempts. */
export const messagesOnPage = 50;

const readsAtOnce = 25;

const readRows = async (table: Table, refs: readonly MessageRef[], now: number): Promise<DeskMessage[]> => {
  const limit = pLimit(readsAtOnce);
  const read = await Promise.all(refs.map((ref) => limit(() => readRow(table, ref, now))));
  return read.filter((message) => message !== null);
};

/** A message occurs more than once if several of its recipients are this person. */
const refsOf = (keys: readonly Indexed[]): MessageRef[] => [
  ...new Map(keys.filter(isOfMessage).map((key) => [key.pk, messageOfKey(key)])).values(),
];

const cursorOf = ({ pk, sk, created_at }: Indexed): string => JSON.stringify([pk, sk, created_at]);
const keyOf = (cursor: string): Indexed => {
  const [pk, sk, created_at] = JSON.parse(cursor);
  return { pk, sk, created_at };
};

/** Reads one page of the index, and the messages on it. */
export const messagesOfPerson = async (
  table: Table,
  { address, since, after }: Search,
  now: number,
): Promise<FoundPage> => {
  const options = { since: storedSince(since), after: after === undefined ? undefined : keyOf(after) };
  for await (const keys of queryIndex(table, address, { ...options, pageSize: messagesOnPage })) {
    const refs = refsOf(keys);
    const rows = await readRows(table, refs, now);
    const messages = rows.filter(({ sent_at, created_at }) => (sent_at ?? created_at) >= (since ?? ""));
    const last = keys.length === messagesOnPage ? keys.at(-1) : undefined;
    return { messages, read: refs.length, ...(last && { next: cursorOf(last) }) };
  }
  return { messages: [], read: 0 };
};

/** A table of this machine has at most about 30,000 messages on so many pages of 1 MB. */
const mostPages = 10;

/** The index has no content, so an email of 20 MB doesn't make this dearer. */
const indexedMessages = async (table: Table): Promise<Indexed[]> => {
  const found: Indexed[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  for (let page = 0; page === 0 || (ExclusiveStartKey && page < mostPages); page++) {
    const scan = new ScanCommand({
      TableName: table.name,
      IndexName: personIndex.name,
      ExclusiveStartKey,
      ReturnConsumedCapacity: "TOTAL",
    });
    const { Items = [], LastEvaluatedKey } = await table.client.send(scan);
    found.push(...(Items as Indexed[]).filter(({ created_at }) => /^\d/.test(created_at)));
    ExclusiveStartKey = LastEvaluatedKey;
  }
  return found.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
};

/** @param known messages that the index doesn't have, such as the demonstration's bounce notification */
export const recentMessages = async (table: Table, known: readonly MessageRef[], now: number): Promise<FoundPage> => {
  const indexed = await indexedMessages(table);
  const newest = refsOf(indexed).slice(0, messagesOnPage);
  const names = new Set(newest.map(({ id }) => id));
  const others = known.filter(({ id }) => !names.has(id)).slice(0, messagesOnPage);
  const messages = await readRows(table, [...newest, ...others], now);
  return { messages, read: messages.length };
};
