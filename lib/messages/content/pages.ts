/** One Query reads one page. Page 0 is in the head's partition, and every other page has a partition of its own. */
import { segmentKey } from "../../table/keys.ts";
import type { ContentFields } from "../head.ts";
import type { MessageRef } from "../message-ref.ts";

export type Pages = Pick<ContentFields, "content_digest" | "segments" | "page_segments">;

/** A Query returns at most 1 MiB, so a page has at most three segments of 340,000 bytes. */
const maximumPageSegments = 3;

/** Fetching a page takes longer than sending it to the caller, so we fetch four pages at a time. */
export const parallelPages = 4;

/** A small email has smaller pages, so that we can read it in up to four pages at the same time. */
export const pageSegments = (segments: number): number =>
  Math.max(1, Math.min(maximumPageSegments, Math.ceil((segments - 1) / parallelPages)));

export const keyOfSegment = ({ account_id, id }: MessageRef, { content_digest, page_segments }: Pages, index: number) =>
  segmentKey(account_id, id, content_digest, index, Math.ceil(index / page_segments));
