/** Reads the segments of a message's content. */
import { getItem, queryFrom } from "../table/get.ts";
import { retry } from "../table/retry.ts";
import type { StoredMessage } from "./find.ts";
import type { Head } from "./head.ts";
import { keyOfSegment, pageCount, parallelPages } from "./pages.ts";

type Segment = { bytes: Uint8Array };

/** An eventually consistent read costs half, so we pay for a consistent one only if the first read misses a segment. */
const readTwice = async <Found>(
  { id, segments }: Head,
  index: number,
  read: (consistent: boolean) => Promise<Found | undefined>,
): Promise<Found> => {
  const found = (await read(false)) ?? (await read(true));
  if (!found) throw new Error(`A segment from ${index} of ${segments} of message ${id} is missing`);
  return found;
};

/** @throws Error if the segment is missing */
export const readSegment = async ({ table, head }: StoredMessage, index: number): Promise<Uint8Array> => {
  const read = (consistent: boolean) => getItem<Segment>(table, keyOfSegment(head, head, index), { consistent });
  return (await readTwice(head, index, read)).bytes;
};

const readPage = ({ table, head }: StoredMessage, page: number): Promise<Uint8Array[]> => {
  const from = 1 + (page - 1) * head.page_segments;
  const count = Math.min(head.page_segments, head.segments - from);
  return readTwice(head, from, async (consistent) => {
    const found = await queryFrom<Segment>(table, keyOfSegment(head, head, from), count, consistent);
    return found.length === count ? found.map(({ bytes }) => bytes) : undefined;
  });
};

/** Retries failed reads, because the status 200 may already be sent. @throws Error if a segment is missing */
export async function* readSegments(message: StoredMessage): AsyncGenerator<Uint8Array> {
  const pages = pageCount(message.head);
  const abort = new AbortController();
  const pending: Promise<Uint8Array[]>[] = [];
  let requested = 0;
  const requestNext = () => {
    if (requested === pages) return;
    const number = ++requested;
    const page = retry(() => readPage(message, number), { signal: abort.signal, deadline: message.table.deadline });
    page.catch(() => {}); // Without this, a rejection before we await the page would end the process.
    pending.push(page);
  };
  try {
    for (let page = 0; page < parallelPages; page++) requestNext();
    if (message.head.segments > 0) yield message.first ?? (await readSegment(message, 0));
    for (let page = pending.shift(); page; page = pending.shift()) {
      const segments = await page;
      requestNext();
      yield* segments;
    }
  } finally {
    abort.abort();
  }
}
