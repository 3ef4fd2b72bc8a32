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
  type ZstdCompress,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";

/** A DynamoDB item holds 400 KB, and a page of a Query holds 1 MiB. Three segments fill a page. */
const maximumSegmentBytes = 340_000;
export const segmentsPerPage = 3;

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

/** Returns the base-2 logarithm of zstd's window size. Zstd finds repeated attachments only within the window. */
const windowLog = (rawBytes: number): number =>
  Math.min(maximumWindowLog, Math.max(17, Math.ceil(Math.log2(rawBytes * 1.1 + 1))));

/** Waits for each write, because Node.js appends an empty zstd frame if `end` is called during a write. */
const writeFrame = async (zstd: ZstdCompress, pieces: Iterable<Buffer>): Promise<void> => {
  try {
    for (const piece of pieces) {
      await new Promise<void>((resolve, reject) =>
        zstd.write(piece, (error) => (error ? reject(error) : resolve())),
      );
    }
    zstd.end();
  } catch (error) {
    zstd.destroy(error instanceof Error ? error : undefined);
  }
};

/** Compressed content. `bytes` is the JSON's uncompressed length. `parsedStart` is the offset of `content_parsed`. */
export type Compressed = { segments: Buffer[]; bytes: number; parsedStart: number };

export const noContent: Compressed = { segments: [], bytes: 0, parsedStart: '"content":null,'.length };

/** Small emails are compressed without a stream, which is faster and blocks the process only briefly. */
const unstreamedBytes = 64 * 1024;

/**
 * For large emails, zstd looks for repetitions at twice as many positions, which saves stored bytes. The lower
 * compression level saves as much processor time as the additional positions need.
 */
const zstdParameters = (rawBytes: number) => ({
  [constants.ZSTD_c_compressionLevel]: rawBytes > smallBytes ? 2 : 3,
  [constants.ZSTD_c_windowLog]: windowLog(rawBytes),
  // Without long-distance matching, zstd is faster, and still finds most repetitions in a small email.
  [constants.ZSTD_c_enableLongDistanceMatching]: rawBytes > unstreamedBytes ? 1 : 0,
  [constants.ZSTD_c_ldmMinMatch]: 32,
  [constants.ZSTD_c_ldmHashRateLog]: rawBytes > smallBytes ? 3 : 4,
  [constants.ZSTD_c_checksumFlag]: 1,
  [constants.ZSTD_c_contentSizeFlag]: 0, // `openFrame` would make the content size wrong
});

/** Compresses the JSON that `pieces` yields. The return value of `pieces` is the offset of `content_parsed`. */
export const compressToSegments = async (
  pieces: Iterable<Buffer, number | undefined>,
  rawBytes: number,
): Promise<Compressed> => {
  let parsedStart = 0;
  const counted = function* () {
    parsedStart = (yield* pieces) ?? 0;
  };
  const params = zstdParameters(rawBytes);
  if (rawBytes <= unstreamedBytes) {
    const json = Buffer.concat([...counted()]);
    return { segments: cut(zstdCompressSync(json, { params })), bytes: json.length, parsedStart };
  }
  const zstd = createZstdCompress({ params });
  const [chunks] = await Promise.all([zstd.toArray(), writeFrame(zstd, counted())]);
  return { segments: cut(Buffer.concat(chunks)), bytes: zstd.bytesWritten, parsedStart };
};

const decompression = { params: { [constants.ZSTD_d_windowLogMax]: maximumWindowLog } };

/** Larger chunks than the default of 16 KiB need fewer tasks in Node.js's thread pool. */
const streamedChunkBytes = 512 * 1024;

export const decompressor = () => createZstdDecompress({ ...decompression, chunkSize: streamedChunkBytes });

/** Returns `null` if the decompressed content has more than 1 MiB. */
export const decompressSmall = (segments: Uint8Array[]): Buffer | null => {
  try {
    return zstdDecompressSync(Buffer.concat(segments), {
      ...decompression,
      chunkSize: 128 * 1024,
      maxOutputLength: smallBytes,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return null;
    throw error;
  }
};
