/** Reads a message's head and, unless the caller needs no content, the first segment of the content. */
import { isLive } from "../../table/expiry.ts";
import { getItem, queryFrom } from "../../table/get.ts";
import { headKey, headSort, segmentSort } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { readSegment } from "../content/read-segments.ts";
import type { Head } from "../head.ts";

export type StoredMessage = {
  readonly table: Table;
  readonly head: Head;
  /** The first segment of the message's content, unless `withContent` is false. */
  readonly first?: Uint8Array;
};

type Item = Head & { sk: string; bytes: Uint8Array };

/**
 * Returns `null` if the account has no such message, or if the message has expired.
 *
 * @param options.consistent `false` halves the price, but may miss a message that was stored or changed a moment ago
 * @param options.withContent `false` reads only the head
 * @throws Error if the first segment is missing
 */
export const findMessage = async (
  table: Table,
  account_id: string,
  id: string,
  now: number,
  { consistent = true, withContent = true } = {},
): Promise<StoredMessage | null> => {
  const key = headKey(account_id, id);
  const [head, next] = withContent
    ? await queryFrom<Item>(table, key, 2, consistent)
    : [await getItem<Item>(table, key, { consistent })];
  if (head?.sk !== headSort || !isLive(head, now)) return null;
  const message = { table, head };
  if (!withContent || head.segments === 0) return message;
  if (next?.sk === segmentSort(head.content_digest, 0)) return { ...message, first: next.bytes };
  // If an eventually consistent read misses the first segment, the caller reads the whole message again. If a
  // consistent Query returned a leftover segment instead of the first one, we read the first one by its key.
  return consistent ? { ...message, first: await readSegment(message, 0) } : null;
};
