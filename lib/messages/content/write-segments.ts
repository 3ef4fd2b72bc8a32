/**
 * Writes and deletes the segments of a message's content, in an order that makes interruptions harmless:
 *
 *   store    first segment ──▶ list of pages ──▶ other segments ──▶ head
 *   delete   marker ──▶ tombstone in place of the head ──▶ pages ──▶ other items ──▶ first segment
 *
 * The first segment is in the index of persons, so whatever an interruption leaves is found by the person's address. The
 * list of pages is written before the pages and deleted after them, so a delete finds every page. A store that still runs
 * can't write its head any more, and deletes its own pages.
 */
import { createHash } from "node:crypto";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { nowValue } from "../../table/expiry.ts";
import { getItem } from "../../table/get.ts";
import {
  headKey,
  headSort,
  type ItemKey,
  isSegmentSort,
  pageListKey,
  personKey,
  segmentsOf,
} from "../../table/keys.ts";
import { listItems } from "../../table/list.ts";
import { retryWrite, succeeds } from "../../table/retry.ts";
import type { Table } from "../../table/table.ts";
import type { ContentFields, Head } from "../head.ts";
import type { MessageRef } from "../message-ref.ts";
import { leftoverTime, tombstonePut, unendingSeconds } from "../tombstone.ts";
import type { Compressed } from "./compression.ts";
import { keyOfSegment, type Pages, pageSegments } from "./pages.ts";

/** A new table takes only 4 MB of writes a second: with eight puts in parallel, most were throttled. */
const parallelOfOneMessage = 2;
const ofAllMessages = pLimit(3);

/** Calls `write` for each item, and retries throttled writes. Once a write has failed, no further write starts. */
const writeAll = async <T>(
  table: Table,
  items: T[],
  write: (item: T, index: number) => Promise<unknown>,
): Promise<void> => {
  let hasFailed = false;
  const writeOne = async (item: T, index: number) => {
    if (hasFailed) return;
    try {
      await retryWrite(() => write(item, index), table.deadline);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const ofThisMessage = pLimit(parallelOfOneMessage);
  const paced = (item: T, index: number) => ofThisMessage(() => ofAllMessages(writeOne, item, index));
  const outcomes = await Promise.allSettled(items.map(items.length > 1 ? paced : writeOne));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
};

/**
 * A retry gets the same digest, and overwrites the segments of the interrupted attempt. After a deletion, `replaced`
 * gives the message another digest. Since segments have the digest in their key, a deletion hits none that are written
 * after it has listed them.
 */
const contentDigest = (segments: Buffer[], expires_at: number, replaced = ""): string => {
  const hash = createHash("sha256").update(`${expires_at} ${replaced} `);
  for (const bytes of segments) hash.update(bytes);
  return hash.digest("hex");
};

export const keysOf = (message: MessageRef, pages: Pages): ItemKey[] =>
  Array.from({ length: pages.segments }, (_, index) => keyOfSegment(message, pages, index));

/** @param replaced the `content_digest` of the item that the new head will overwrite, if there is one */
export const writeSegments = async (
  table: Table,
  {
    account_id,
    id,
    created_at,
    expires_at,
    person,
    ...head
  }: Pick<Head, "account_id" | "id" | "created_at" | "expires_at" | "person" | "direction" | "sender" | "recipient">,
  { segments, ...content }: Compressed,
  replaced?: string,
): Promise<ContentFields> => {
  const content_digest = contentDigest(segments, expires_at, replaced);
  const pages = { content_digest, segments: segments.length, page_segments: pageSegments(segments.length) };
  const put = (Item: object) => table.client.send(new PutCommand({ TableName: table.name, Item }));
  const [first, ...others] = keysOf({ account_id, id }, pages);
  if (first) {
    const indexed = person && { person, created_at: leftoverTime(created_at) };
    await retryWrite(() => put({ ...first, bytes: segments[0], expires_at, ...indexed }), table.deadline);
  }
  if (others.length > 0) {
    // The account's own side, too, finds what an interrupted store of a large email left.
    const own = { person: personKey(head.direction === "incoming" ? head.recipient : head.sender) };
    const list = { ...pageListKey(account_id, id, content_digest), pages, expires_at };
    await retryWrite(() => put({ ...list, ...own, created_at: leftoverTime(created_at) }), table.deadline);
  }
  await writeAll(table, others, (key, index) => put({ ...key, bytes: segments[index + 1], expires_at }));
  return { ...content, ...pages };
};

const deleteAll = (table: Table, keys: ItemKey[]): Promise<void> =>
  writeAll(table, keys, ({ pk, sk }) =>
    table.client.send(new DeleteCommand({ TableName: table.name, Key: { pk, sk } })),
  );

/** Deletes the segments of a call that has failed, unless another call has stored the same content and uses them. */
export const discardSegments = async (
  table: Table,
  message: MessageRef,
  written: Pages,
  replaced: string | undefined,
  now: number,
): Promise<void> => {
  const unchanged = {
    ConditionExpression: "content_digest = :replaced AND expires_at <= :now AND expires_at <> :unending",
    ExpressionAttributeValues: { ":replaced": replaced ?? "", ":unending": unendingSeconds, ...nowValue(now) },
  };
  // We put a tombstone, so that no other call stores a head with these segments. If there is neither a head nor a
  // tombstone, a delete is running, which also deletes the segments.
  await succeeds(
    () => table.client.send(new PutCommand({ ...tombstonePut(table, message, now), ...unchanged })),
    table.deadline,
  );
  const current = await getItem<Head>(table, headKey(message.account_id, message.id), { consistent: true });
  if (current && current.content_digest !== written.content_digest) {
    const list = pageListKey(message.account_id, message.id, written.content_digest);
    await deleteAll(table, [...keysOf(message, written), list]);
  }
};

export type Listed = ItemKey & { pages?: Pages; person?: string; expires_at?: number };

/** Finds what a message has in its own partition besides the head, including leftovers of earlier versions. */
export const listBesideHead = async (table: Table, { account_id, id }: MessageRef): Promise<Listed[]> => {
  const listed = await listItems<Listed>(table, { ...headKey(account_id, id), sk: "" }, "pages", "person");
  return listed.filter(({ sk }) => sk !== headSort);
};

/** As {@link listBesideHead}, but only segments and their lists, and none of the version that `except` describes. */
export const listSegments = async (table: Table, { account_id, id }: MessageRef, except?: Pages): Promise<Listed[]> => {
  const listed = await listItems<Listed>(table, segmentsOf(account_id, id), "pages", "expires_at");
  return listed.filter(({ sk }) => !except || !sk.includes(except.content_digest));
};

/**
 * Deletes the first segments last, because by these an interrupted deletion is found. Returns how many of them this call has
 * deleted: if two calls delete the same message, each first segment counts once.
 */
export const deleteListed = async (table: Table, message: MessageRef, listed: readonly Listed[]): Promise<number> => {
  const further = listed.flatMap(({ pages }) => (pages ? keysOf(message, pages).slice(1) : []));
  const [firsts, others] = [true, false].map((isFirst) => listed.filter(({ sk }) => isSegmentSort(sk) === isFirst));
  await deleteAll(table, further);
  await deleteAll(table, others ?? []);
  let deleted = 0;
  await writeAll(table, firsts ?? [], async ({ pk, sk }) => {
    const condition = { ConditionExpression: "attribute_exists(pk)" };
    const command = new DeleteCommand({ TableName: table.name, Key: { pk, sk }, ...condition });
    if (await succeeds(() => table.client.send(command), table.deadline)) deleted++;
  });
  return deleted;
};
