/** Reads a message's head and, unless the caller needs less, its attempts and the first segment of its content. */
import { isLive } from "../../table/expiry.ts";
import { getItem, queryRange } from "../../table/get.ts";
import { endOfAttempts, endOfSegments, headKey, headSort, segmentSort } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { maximumAttempts, type StoredAttempt } from "../attempt.ts";
import { readSegment } from "../content/read-segments.ts";
import type { Head } from "../head.ts";

export type StoredMessage = {
  readonly table: Table;
  readonly head: Head;
  /** In the order of their times; `null` if only the head was read. */
  readonly attempts: readonly StoredAttempt[] | null;
  /** The first segment of the message's content, unless `withContent` is false. */
  readonly first?: Uint8Array;
};

type Item = Head & StoredAttempt & { sk: string; bytes: Uint8Array };

export type Wanted = {
  /** `false` halves the price, but may miss a message that was stored or changed a moment ago; by default true. */
  consistent?: boolean;
  /** By default true. Reads the attempts, too, because they are between the head and the content. */
  withContent?: boolean;
  /** By default true. Without both, only the head is read. */
  withAttempts?: boolean;
};

/**
 * Returns `null` if the account has no such message, or if the message has expired.
 *
 * @throws Error if the first segment is missing
 */
export const findMessage = async (
  table: Table,
  account_id: string,
  id: string,
  now: number,
  { consistent = true, withContent = true, withAttempts = true }: Wanted = {},
): Promise<StoredMessage | null> => {
  const from = headKey(account_id, id);
  if (!withContent && !withAttempts) {
    const head = await getItem<Head>(table, from, { consistent });
    return head && isLive(head, now) ? { table, head, attempts: null } : null;
  }
  const to = withContent ? endOfSegments : endOfAttempts;
  const limit = 1 + maximumAttempts + 1;
  const [head, ...others] = await queryRange<Item>(table, { from, to, limit, consistent });
  if (head?.sk !== headSort || !isLive(head, now)) return null;
  // An attempt of an earlier message with the same id expired with that message.
  const attempts = others.filter(({ sk, expires_at }) => sk < endOfAttempts && expires_at === head.expires_at);
  const message = { table, head, attempts };
  if (!withContent || head.segments === 0) return message;
  const first = others.find(({ sk }) => sk === segmentSort(head.content_digest, 0));
  if (first) return { ...message, first: first.bytes };
  // If an eventually consistent read misses the first segment, the caller reads the whole message again. If a
  // consistent Query returned leftover segments instead of the first one, we read the first one by its key.
  return consistent ? { ...message, first: await readSegment(message, 0) } : null;
};
