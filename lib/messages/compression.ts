/**
 * Compresses the rendered content of a message into one zstd stream, and cuts the stream into segments.
 *
 *   email ──render──> "content":…,"content_parsed":…} ──zstd──> ████████████████ ──cut──> ███ ███ ███ ██
 *
 * The base64 of an attachment occurs in `content` and again in `content_parsed`. In an email over 64 KiB, zstd finds
 * the second occurrence with long-distance matching. So both fields need little more space than the raw email.
 */
import {
  constants,
  createZstdCompress,
  createZstdDecompress,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import { throughZlib } from "../through-zlib.ts";
import type { ContentOffsets } from "./head.ts";

/** A DynamoDB item holds 400 KB, but three of these fill a page of a Query, which holds 1 MiB. */
const maximumSegmentBytes = 340_000;

/** The first segment of a message is small, so that the first DynamoDB Query of `findMessage` is fast. */
const firstSegmentBytes = 100_000;

/** Content over 1 MiB is decompressed in a stream. Content up to 1 MiB is decompressed faster without a stream. */
const smallBytes = 1024 * 1024;

/** The segments after the first have the same size, because parallel reads take as long as the largest segment. */
const cut = (compressed: Buffer): Buffer[] => {
  const segments = [compressed.subarray(0, firstSegmentBytes)];
  const rest = compressed.length - firstSegmentBytes;
  const bytes = Math.ceil(rest / Math.ceil(rest / maximumSegmentBytes));
  for (let start = firstSegmentBytes; start < compressed.length; start += bytes) {
    segments.push(compressed.subarray(start, start + bytes));
  }
  return segments;
};

/** Limits the zstd window to 2^27 bytes (128 MiB), because decompression needs as much memory as the zstd window. */
const maximumWindowLog = 27;

/** The window spans `content`, because zstd finds a repeated attachment only within it. */
const windowLog = (rawBytes: number): number =>
  Math.min(maximumWindowLog, Math.ceil(Math.log2(rawBytes * 1.1)));

export type Compressed = ContentOffsets & { segments: Buffer[]; content_bytes: number };

const noOffsets: ContentOffsets = { content_start: 0, content_parsed_start: 0 };
export const noContent: Compressed = { segments: [], content_bytes: 0, ...noOffsets };

/** Small emails are compressed without a stream, which is faster and blocks the process only briefly. */
const unstreamedBytes = 64 * 1024;

/**
 * For large emails, zstd looks for repetitions at twice as many positions, which saves stored bytes. The lower
 * compression level saves as much processor time as the additional positions need.
 */
const zstdParameters = (rawBytes: number) => ({
  [constants.ZSTD_c_compressionLevel]: rawBytes > smallBytes ? 2 : 3,
  [constants.ZSTD_c_windowLog]: rawBytes > unstreamedBytes ? windowLog(rawBytes) : 0, // 0: as zstd finds best
  // Without long-distance matching, zstd is faster, and still finds most repetitions in a small email.
  [constants.ZSTD_c_enableLongDistanceMatching]: rawBytes > unstreamedBytes ? 1 : 0,
  [constants.ZSTD_c_ldmMinMatch]: 32,
  [constants.ZSTD_c_ldmHashRateLog]: rawBytes > smallBytes ? 3 : 4,
  [constants.ZSTD_c_checksumFlag]: 1,
  [constants.ZSTD_c_contentSizeFlag]: 0, // `openFrame` would make the content size wrong
});

/** Compresses the JSON that `pieces` yields. The return value of `pieces` says where its parts begin. */
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

/** Larger chunks than the default of 16 KiB need fewer tasks in Node.js's thread pool. */
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
