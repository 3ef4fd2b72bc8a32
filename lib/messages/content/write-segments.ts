/**
 * Writes and deletes the segments of a message's content, in an order that makes interruptions harmless:
 *
 *   store    list of pages ──▶ segments ──▶ head
 *   delete   marker ──▶ tombstone in place of the head ──▶ other segments ──▶ first segment
 *
 * The list of pages is never deleted, so a delete always finds every page, even after an interruption.
 */
import { createHash, randomUUID } from "node:crypto";
import { DeleteCommand, PutCommand, type PutCommandInput } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { epochSeconds, nowValue } from "../../table/expiry.ts";
import { getItem } from "../../table/get.ts";
import { headKey, type ItemKey, pageListKey, segmentsOf } from "../../table/keys.ts";
import { listItems } from "../../table/list.ts";
import { retryWrite, succeeds } from "../../table/retry.ts";
import type { Table } from "../../table/table.ts";
import { daySeconds } from "../../time/clock.ts";
import type { ContentFields, Head } from "../head.ts";
import type { MessageRef } from "../message-ref.ts";
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

const keysOf = (message: MessageRef, pages: Pages): ItemKey[] =>
  Array.from({ length: pages.segments }, (_, index) => keyOfSegment(message, pages, index));

/** @param replaced the `content_digest` of the item that the new head will overwrite, if there is one */
export const writeSegments = async (
  table: Table,
  { account_id, id, expires_at }: Pick<Head, "account_id" | "id" | "expires_at">,
  { segments, ...content }: Compressed,
  replaced?: string,
): Promise<ContentFields> => {
  const content_digest = contentDigest(segments, expires_at, replaced);
  const pages = { content_digest, segments: segments.length, page_segments: pageSegments(segments.length) };
  const put = (Item: object) => table.client.send(new PutCommand({ TableName: table.name, Item }));
  if (segments.length > 1) {
    const list = { ...pageListKey(account_id, id, content_digest), pages, expires_at };
    await retryWrite(() => put(list), table.deadline);
  }
  const keys = keysOf({ account_id, id }, pages);
  await writeAll(table, keys, (key, index) => put({ ...key, bytes: segments[index], expires_at }));
  return { ...content, ...pages };
};

/** Replaces the head by a tombstone. If another call is about to write a head, its condition then fails. */
export const tombstonePut = (table: Table, { account_id, id }: MessageRef, now: number): PutCommandInput => {
  const expires_at = epochSeconds(now) - daySeconds; // A time that is past even for a slow clock.
  return { TableName: table.name, Item: { ...headKey(account_id, id), content_digest: randomUUID(), expires_at } };
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
    ConditionExpression: "content_digest = :replaced AND expires_at <= :now",
    ExpressionAttributeValues: { ":replaced": replaced ?? "", ...nowValue(now) },
  };
  // We put a tombstone, so that no other call stores a head with these segments. If there is neither a head nor a
  // tombstone, a delete is running, which also deletes the segments.
  await succeeds(() => table.client.send(new PutCommand({ ...tombstonePut(table, message, now), ...unchanged })));
  const current = await getItem<Head>(table, headKey(message.account_id, message.id), { consistent: true });
  if (current && current.content_digest !== written.content_digest) {
    await deleteAll(table, keysOf(message, written));
  }
};

type Listed = ItemKey & { pages?: Pages };

/** Finds what a message has in its own partition besides the head, including leftovers of earlier versions. */
export const listSegments = async (table: Table, { account_id, id }: MessageRef, except?: Pages): Promise<Listed[]> => {
  const listed = await listItems<Listed>(table, segmentsOf(account_id, id), "pages");
  return listed.filter(({ sk }) => !except || !sk.includes(except.content_digest));
};

/** Deletes the first segment last, so that repeating an interrupted deletion still reports the message as deleted. */
export const deleteSegments = async (table: Table, message: MessageRef, listed: readonly Listed[]): Promise<number> => {
  const further = listed.flatMap(({ pages }) => (pages ? keysOf(message, pages).slice(1) : []));
  const firsts = listed.filter(({ pages }) => !pages);
  await deleteAll(table, further);
  await deleteAll(table, firsts);
  return firsts.length;
};
