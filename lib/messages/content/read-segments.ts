/** Reads the segments of a message's content in order, four pages at a time. */
import { getItem, queryRange } from "../../table/get.ts";
import { endOfSegments } from "../../table/keys.ts";
import { retry, withSignal } from "../../table/retry.ts";
import type { Head } from "../head.ts";
import type { StoredMessage } from "../read/find-message.ts";
import { keyOfSegment, parallelPages } from "./pages.ts";

type Segment = { bytes: Uint8Array };

export class MissingSegmentError extends Error {
  override readonly name = "MissingSegmentError";
}

/** Eventually consistent reads are half the price, so we make a consistent one only if the first misses a segment. */
const readTwice = async <Found>(
  { id, segments }: Head,
  index: number,
  read: (consistent: boolean) => Promise<Found | undefined>,
): Promise<Found> => {
  const found = (await read(false)) ?? (await read(true));
  if (!found) throw new MissingSegmentError(`A segment from ${index} of ${segments} of message ${id} is missing`);
  return found;
};

/** @throws MissingSegmentError */
export const readSegment = async ({ table, head }: StoredMessage, index: number): Promise<Uint8Array> => {
  const read = (consistent: boolean) => getItem<Segment>(table, keyOfSegment(head, head, index), { consistent });
  return (await readTwice(head, index, read)).bytes;
};

const readPage = ({ table, head }: StoredMessage, from: number): Promise<Uint8Array[]> => {
  const count = Math.min(head.page_segments, head.segments - from);
  return readTwice(head, from, async (consistent) => {
    const key = keyOfSegment(head, head, from);
    const found = await queryRange<Segment>(table, { from: key, to: endOfSegments, limit: count, consistent });
    return found.length === count ? found.map(({ bytes }) => bytes) : undefined;
  });
};

/** A response that gets no page for so long ends, instead of holding its Lambda environment for five minutes. */
const longestSilenceMs = 60_000;

/**
 * After a 200, we can't send an error any more, so we retry failed reads.
 *
 * @param left aborted when the reader has left: a generator that waits for a page can't be ended otherwise
 * @throws MissingSegmentError
 */
export async function* readSegments(message: StoredMessage, left?: AbortSignal): AsyncGenerator<Uint8Array> {
  const { table, head, first } = message;
  const abort = new AbortController();
  const pending: Promise<Uint8Array[]>[] = [];
  let next = 1;
  const requestNext = () => {
    if (next >= head.segments) return;
    const from = next;
    next += head.page_segments;
    const silence = AbortSignal.timeout(longestSilenceMs);
    const limited = { ...message, table: withSignal(table, silence) };
    const signal = AbortSignal.any([abort.signal, silence, ...(left ? [left] : [])]);
    const page = retry(() => readPage(limited, from), { signal, deadline: table.deadline });
    page.catch(() => {}); // Without this, a rejection before we await the page would end the process.
    pending.push(page);
  };
  try {
    for (let page = 0; page < parallelPages; page++) requestNext();
    if (head.segments > 0) yield first ?? (await readSegment(message, 0));
    for (let page = pending.shift(); page; page = pending.shift()) {
      const segments = await page;
      requestNext();
      yield* segments;
    }
  } finally {
    abort.abort();
  }
}
