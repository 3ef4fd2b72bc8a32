/** A page is a group of segments with a partition key of its own, and one Query reads it. */
import { segmentKey } from "../table/keys.ts";
import type { MessageRef } from "./events.ts";
import type { ContentFields } from "./head.ts";

export type Pages = Pick<ContentFields, "content_digest" | "segments" | "page_segments">;

/** A Query returns at most 1 MiB, so a page has at most three segments of 340,000 bytes. */
const maximumPageSegments = 3;

/** Fetching a page takes longer than sending it to the caller, so we fetch four pages at a time. */
export const parallelPages = 4;

/** We read four pages in parallel, so an email that would fit into one or two pages is spread over four. */
export const pageSegments = (segments: number): number =>
  Math.max(1, Math.min(maximumPageSegments, Math.ceil((segments - 1) / parallelPages)));

export const keyOfSegment = ({ account_id, id }: MessageRef, { content_digest, page_segments }: Pages, index: number) =>
  segmentKey(account_id, id, content_digest, index, Math.ceil(index / page_segments));
