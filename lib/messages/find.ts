/** Reads the head of a stored message, and the segments of the message's content. */
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { isLive } from "../table/expiry.ts";
import { getItem } from "../table/get.ts";
import { headKey, headSort, messagePartition, segmentSort } from "../table/keys.ts";
import { retry } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { segmentsPerPage } from "./compression.ts";
import type { Head } from "./head.ts";

export type StoredMessage = {
  head: Head;
  /** The first segment of the message. Empty if the message has no segments, or if `withContent` is false. */
  firstPage: Uint8Array[];
  /** Fetches the compressed content. Retries failed reads, because the status code 200 may already be sent. */
  segments: () => AsyncGenerator<Uint8Array>;
};

/** Pages are fetched in parallel, because fetching a page takes longer than sending the page to the caller. */
const parallelPages = 4;

type Item = Head & { sk: string; bytes: Uint8Array };

/**
 * Returns the message, or `null` if the account has no such message or the message has expired.
 *
 * @param options.consistent `false` makes one eventually consistent read, at half the price. The read may
 * miss a message that was stored or changed a moment ago. The function then returns `null`.
 * @param options.withContent `false` reads no segment before `segments` is called
 * @throws Error if the first segment is missing. Reading `segments` throws if a later segment is missing.
 */
export const findMessage = async (
  table: Table,
  account_id: string,
  id: string,
  now: number,
  { consistent = true, withContent = true } = {},
): Promise<StoredMessage | null> => {
  const query = async (from: string, Limit: number, ConsistentRead: boolean): Promise<Item[]> => {
    const { Items } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "pk = :pk AND sk >= :from",
        ExpressionAttributeValues: { ":pk": messagePartition(account_id, id), ":from": from },
        ConsistentRead,
        Limit,
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    return (Items ?? []) as Item[];
  };
  const [head, ...items] = withContent
    ? await query(headSort, 2, consistent)
    : [(await getItem<Item>(table, headKey(account_id, id), { consistent })) ?? []].flat();
  if (head?.sk !== headSort || !isLive(head, now)) return null;
  const keyOf = (index: number): string => segmentSort(head.content_digest, index);
  /** Returns the segments with the numbers `from` to `to - 1`, or `null` if `items` lacks one of these segments. */
  const inOrder = (items: Item[], from: number, to: number): Uint8Array[] | null => {
    const segments = items.filter(({ sk }, index) => sk === keyOf(from + index));
    return segments.length === to - from ? segments.map(({ bytes }) => bytes) : null;
  };
  const firstPageEnd = withContent ? Math.min(1, head.segments) : 0;
  const firstSegments = inOrder(items, 0, firstPageEnd);
  // An eventually consistent read may return an older version of the message, whose segments are already deleted.
  if (!firstSegments && !consistent) return null;

  const fetchPage = async (from: number, to: number): Promise<Uint8Array[]> => {
    const read = async (consistent: boolean) =>
      inOrder(await query(keyOf(from), to - from, consistent), from, to);
    const page = (await read(false)) ?? (await read(true));
    if (!page) throw new Error(`A segment from ${from} of ${head.segments} of message ${id} is missing`);
    return page;
  };

  // The Query may return an obsolete segment, which an expired message or an interrupted `storeMessage` left behind.
  const firstPage = firstSegments ?? (await fetchPage(0, firstPageEnd));

  return {
    head,
    firstPage,
    segments: async function* () {
      const abort = new AbortController();
      const pending: Promise<Uint8Array[]>[] = [];
      let requested = firstPageEnd;
      const pageSize = Math.min(segmentsPerPage, Math.ceil((head.segments - requested) / parallelPages));
      const requestNext = () => {
        if (requested === head.segments) return;
        const from = requested;
        const to = Math.min(from + pageSize, head.segments);
        requested = to;
        const page = retry(() => fetchPage(from, to), { signal: abort.signal, deadline: table.deadline });
        page.catch(() => {}); // Prevents an unhandled rejection. The loop below throws the error.
        pending.push(page);
      };
      try {
        for (let pages = 0; pages < parallelPages; pages++) requestNext();
        yield* firstPage;
        for (let page = pending.shift(); page; page = pending.shift()) {
          const segments = await page;
          requestNext();
          yield* segments;
        }
      } finally {
        abort.abort();
      }
    },
  };
};
