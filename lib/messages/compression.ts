/**
 * Compresses the content of a message into one zstd frame, and cuts it into segments.
 *
 *   email ──render──> "content":…,"content_parsed":…} ──zstd──> ████████████████ ──cut──> ███ ███ ███ ██
 *
 * `content` and `content_parsed` together take hardly more space than the raw email: zstd finds each attachment's base64
 * a second time, in an email over 64 KiB with long-distance matching.
 */
import { constants, createZstdCompress, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { throughZlib } from "../through-zlib.ts";
import type { ContentOffsets } from "./head.ts";

/** A DynamoDB item holds 400 KB, but three of these fill a page of a Query, which holds 1 MiB. */
const maximumSegmentBytes = 340_000;

/** The first Query reads this one together with the head, so it is small. */
const firstSegmentBytes = 100_000;

/** Up to here, decompressing without a stream is faster. */
const smallBytes = 1024 * 1024;

/** All but the first have the same size: parallel reads take as long as the largest. */
const cut = (compressed: Buffer): Buffer[] => {
  const segments = [compressed.subarray(0, firstSegmentBytes)];
  const rest = compressed.length - firstSegmentBytes;
  const bytes = Math.ceil(rest / Math.ceil(rest / maximumSegmentBytes));
  for (let start = firstSegmentBytes; start < compressed.length; start += bytes) {
    segments.push(compressed.subarray(start, start + bytes));
  }
  return segments;
};

/** 128 MiB. Decompressing needs as much memory as the window. */
const maximumWindowLog = 27;

/** The window spans `content`, because zstd finds a repeated attachment only within it. */
const windowLog = (rawBytes: number): number => Math.min(maximumWindowLog, Math.ceil(Math.log2(rawBytes * 1.1)));

export type Compressed = ContentOffsets & { segments: Buffer[]; content_bytes: number };

const noOffsets: ContentOffsets = { content_start: 0, content_parsed_start: 0 };
export const noContent: Compressed = { segments: [], content_bytes: 0, ...noOffsets };

/** Up to here, compressing without a stream is faster, and blocks the process only briefly. */
const unstreamedBytes = 64 * 1024;

/** In large emails, zstd looks for repetitions at twice as many positions, and the lower level pays for the time. */
const zstdParameters = (rawBytes: number) => ({
  [constants.ZSTD_c_compressionLevel]: rawBytes > smallBytes ? 2 : 3,
  [constants.ZSTD_c_windowLog]: rawBytes > unstreamedBytes ? windowLog(rawBytes) : 0, // 0: as zstd finds best
  // A small email fits into the window anyway.
  [constants.ZSTD_c_enableLongDistanceMatching]: rawBytes > unstreamedBytes ? 1 : 0,
  [constants.ZSTD_c_ldmMinMatch]: 32,
  [constants.ZSTD_c_ldmHashRateLog]: rawBytes > smallBytes ? 3 : 4,
  [constants.ZSTD_c_checksumFlag]: 1,
  [constants.ZSTD_c_contentSizeFlag]: 0, // `openFrame` would make the content size wrong
});

/** @param pieces yields the JSON, and returns where its parts begin */
export const compressToSegments = async (
  pieces: Iterable<Buffer, ContentOffsets | undefined>,
  rawBytes: number,
): Promise<Compressed> => {
  let offsets = noOffsets;
  const counted = function* () {
    offsets = (yield* pieces) ?? noOffsets;
  };
  const params = zstdParameters(rawBytes);
  if (rawBytes <= unstreamedBytes) {
    const json = Buffer.concat([...counted()]);
    return { segments: cut(zstdCompressSync(json, { params })), content_bytes: json.length, ...offsets };
  }
  const zstd = throughZlib(counted(), createZstdCompress({ params }));
  const segments = cut(Buffer.concat(await zstd.toArray()));
  return { segments, content_bytes: zstd.bytesWritten, ...offsets };
};

const decompression = { params: { [constants.ZSTD_d_windowLogMax]: maximumWindowLog } };

/** The default of 16 KiB would mean 32 times as many tasks in Node.js's thread pool. */
const streamedChunkBytes = 512 * 1024;

export const decompressor = () => createZstdDecompress({ ...decompression, chunkSize: streamedChunkBytes });

/** Returns `null` if the decompressed content has more than 1 MiB. */
export const decompressSmall = (compressed: Uint8Array): Buffer | null => {
  try {
    return zstdDecompressSync(compressed, {
      ...decompression,
      chunkSize: 128 * 1024,
      maxOutputLength: smallBytes,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return null;
    throw error;
  }
};
