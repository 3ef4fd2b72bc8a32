/** What Get Message reads: the head of a message, and its content segment by segment. */
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { isLive } from "../table/expiry.ts";
import { headSort, messagePartition, segmentSort } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { segmentsPerPage } from "./compression.ts";
import type { Head } from "./head.ts";

export type StoredMessage = {
  head: Head;
  /** The segments that came with the head: all of them, for most emails. */
  firstPage: Uint8Array[];
  /** The compressed content, in order; fetched page by page as it is read, one page ahead. */
  segments: () => AsyncGenerator<Uint8Array>;
};

type Item = Head & { sk: string; bytes: Uint8Array };

/** The segments of the head from `from` on, up to a gap; one that an expired message has left is a gap. */
const contiguous = (items: Item[], from: number, { digest }: Head): Uint8Array[] => {
  const gap = items.findIndex(
    (item, index) => item.sk !== segmentSort(from + index) || item.digest !== digest,
  );
  return items.slice(0, gap < 0 ? undefined : gap).map(({ bytes }) => bytes);
};

/**
 * The message, or `null` when the account has none with this id or its retention time has passed. The read
 * is eventually consistent, at half the price; when it finds nothing, a strongly consistent one decides.
 */
export const findMessage = async (
  table: Table,
  account_id: string,
  id: string,
  now: number,
): Promise<StoredMessage | null> => {
  const pk = messagePartition(account_id, id);

  const query = async (from: string, Limit: number, consistent: boolean): Promise<Item[]> => {
    const { Items } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "pk = :pk AND sk >= :from",
        ExpressionAttributeValues: { ":pk": pk, ":from": from },
        ConsistentRead: consistent,
        Limit,
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    return (Items ?? []) as Item[];
  };
  /** Tries the cheaper read first; an answer that lags behind the write is not what was asked for. */
  const eitherWay = async <T>(read: (consistent: boolean) => Promise<T | null>): Promise<T | null> =>
    (await read(false)) ?? (await read(true));

  // The head and the first segment.
  const first = await eitherWay(async (consistent) => {
    const [head, ...items] = await query(headSort, 2, consistent);
    if (head?.sk !== headSort || !isLive(head, now)) return null;
    const page = contiguous(items, 0, head);
    return page.length > 0 || head.segments === 0 ? { head, page } : null;
  });
  if (!first) return null;
  const { head, page: firstPage } = first;

  const fetchPage = async (from: number): Promise<Uint8Array[]> => {
    const Limit = Math.min(segmentsPerPage, head.segments - from);
    const page = await eitherWay(async (consistent) => {
      const segments = contiguous(await query(segmentSort(from), Limit, consistent), from, head);
      return segments.length > 0 ? segments : null;
    });
    if (!page) throw new Error(`Segment ${from} of ${head.segments} of message ${id} is missing`);
    return page;
  };

  return {
    head,
    firstPage,
    segments: async function* () {
      let page = firstPage;
      for (let read = page.length; ; read += page.length) {
        const next = read < head.segments ? fetchPage(read) : undefined;
        next?.catch(() => {}); // thrown below, unless the reader leaves before
        yield* page;
        if (!next) return;
        page = await next;
      }
    },
  };
};
