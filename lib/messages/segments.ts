/** Writes and deletes the segments of a message's content. */
import { createHash } from "node:crypto";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import pLimit from "p-limit";
import { segmentKey, segmentsOf } from "../table/keys.ts";
import { listItems } from "../table/list.ts";
import { retryWrite } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import type { Compressed } from "./compression.ts";
import type { MessageRef } from "./events.ts";
import type { Head } from "./head.ts";

/** A partition accepts 1 MB of writes a second. If more writes ran in parallel, DynamoDB would throttle writes. */
const atOnce = pLimit(8);

/** Calls `write` for each item. Retries throttled writes. After an error, starts no further write. */
const writeAll = async <T>(
  items: T[],
  write: (item: T, index: number) => Promise<unknown>,
): Promise<void> => {
  const failed = new AbortController();
  const writeOne = async (item: T, index: number) => {
    if (failed.signal.aborted) return;
    try {
      await retryWrite(() => write(item, index));
    } catch (error) {
      failed.abort();
      throw error;
    }
  };
  const outcomes = await Promise.allSettled(items.map((item, index) => atOnce(writeOne, item, index)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
};

/** Returns one SHA-256 digest of the message's expiry and the bytes of all segments. */
const contentDigest = (segments: Buffer[], expires_at: number): string => {
  const hash = createHash("sha256").update(String(expires_at));
  for (const bytes of segments) hash.update(bytes);
  return hash.digest("hex");
};

/** Writes all segments. Returns the fields of the message's head that describe the segments. */
export const writeSegments = async (
  table: Table,
  { account_id, id, expires_at }: Pick<Head, "account_id" | "id" | "expires_at">,
  { segments, bytes: content_bytes, parsedStart: content_parsed_start }: Compressed,
) => {
  const content_digest = contentDigest(segments, expires_at);
  await writeAll(segments, (bytes, index) => {
    const Item = { ...segmentKey(account_id, id, content_digest, index), bytes, expires_at };
    return table.client.send(new PutCommand({ TableName: table.name, Item }));
  });
  return { content_digest, content_bytes, content_parsed_start, segments: segments.length };
};

/**
 * Deletes a message's segments. Returns the number of deleted segments.
 *
 * @param kept the content whose segments are not deleted; by default, all segments are deleted
 */
export const removeSegments = async (
  table: Table,
  { account_id, id }: MessageRef,
  kept?: Pick<Head, "content_digest">,
): Promise<number> => {
  const items = await listItems(table, segmentsOf(account_id, id), "pk", "sk");
  const prefix = kept && segmentsOf(account_id, id, kept.content_digest).sk;
  const obsolete = items.filter(({ sk }) => prefix === undefined || !sk.startsWith(prefix));
  await writeAll(obsolete, (Key) => table.client.send(new DeleteCommand({ TableName: table.name, Key })));
  return obsolete.length;
};
