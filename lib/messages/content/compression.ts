/**
 * Compresses the content of a message into one zstd frame, and cuts it into segments.
 *
 *   email ──render──> "content":…,"content_parsed":…} ──zstd──> ████████████████ ──cut──> ███ ███ ███ ██
 *
 * `content` and `content_parsed` both contain each attachment, but zstd replaces the second copy by a reference.
 */
import { constants, createZstdCompress, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { throughZlib } from "../../streams/through-zlib.ts";
import type { ContentFields } from "../head.ts";

/** A Query returns up to 1 MiB, so it's best if three segments fit into that. */
const maximumSegmentBytes = 340_000;

/** The first segment is small, because the response's first byte waits until this segment has been read. */
const firstSegmentBytes = 100_000;

/** Up to this size, it's faster to decompress the content in one call than as a stream. */
export const smallBytes = 1024 * 1024;

/** Cuts the content after the first segment into equal segments, because we read these in parallel. */
const cut = (compressed: Buffer): Buffer[] => {
  const segments = [compressed.subarray(0, firstSegmentBytes)];
  const rest = compressed.length - firstSegmentBytes;
  const bytes = Math.ceil(rest / Math.ceil(rest / maximumSegmentBytes));
  for (let start = firstSegmentBytes; start < compressed.length; start += bytes) {
    segments.push(compressed.subarray(start, start + bytes));
  }
  return segments;
};

/** By default, zstd's decoder rejects a window over 2^27 bytes (128 MiB). */
const maximumWindowLog = 27;

/** zstd finds the second copy of an attachment only within its window, so the window covers the whole email. */
const windowLog = (rawBytes: number): number => Math.min(maximumWindowLog, Math.ceil(Math.log2(rawBytes * 1.1)));

export type Compressed = { segments: Buffer[] } & Pick<ContentFields, "content_bytes" | "content_parsed_start">;

export const noContent: Compressed = { segments: [], content_bytes: 0, content_parsed_start: 0 };

/** Up to this size, it's faster to compress an email in one call, which blocks the process only briefly. */
const unstreamedBytes = 64 * 1024;

/** In emails over 1 MiB, zstd spends more time on finding repeated attachments: the JSON has each of them twice. */
const zstdParameters = (rawBytes: number) => ({
  [constants.ZSTD_c_compressionLevel]: rawBytes > smallBytes ? 2 : 3,
  [constants.ZSTD_c_windowLog]: rawBytes > unstreamedBytes ? windowLog(rawBytes) : 0, // With 0, zstd chooses it.
  // Long-distance matching finds repetitions that are far apart, and in a small email nothing is.
  [constants.ZSTD_c_enableLongDistanceMatching]: rawBytes > unstreamedBytes ? 1 : 0,
  [constants.ZSTD_c_ldmMinMatch]: 32,
  [constants.ZSTD_c_ldmHashRateLog]: rawBytes > smallBytes ? 3 : 4,
  [constants.ZSTD_c_checksumFlag]: 1,
  [constants.ZSTD_c_contentSizeFlag]: 0, // The JSON that `openFrame` inserts would make the content size wrong.
});

export const compressToSegments = async (
  pieces: Iterable<Buffer, number | undefined>,
  rawBytes: number,
): Promise<Compressed> => {
  let content_parsed_start = 0;
  const counted = function* () {
    content_parsed_start = (yield* pieces) ?? 0;
  };
  const params = zstdParameters(rawBytes);
  if (rawBytes <= unstreamedBytes) {
    const json = Buffer.concat([...counted()]);
    return { segments: cut(zstdCompressSync(json, { params })), content_bytes: json.length, content_parsed_start };
  }
  const zstd = throughZlib(counted(), createZstdCompress({ params }));
  const segments = cut(Buffer.concat(await zstd.toArray()));
  return { segments, content_bytes: zstd.bytesWritten, content_parsed_start };
};

/** Each chunk is a task for Node.js's thread pool, so we make few large chunks. The default is 16 KiB. */
export const decompressor = () => createZstdDecompress({ chunkSize: 512 * 1024 });

export const decompress = (compressed: Uint8Array): Buffer => zstdDecompressSync(compressed, { chunkSize: 128 * 1024 });
