/**
 * A message's rendered content as it is kept: one zstd stream, cut into segments that fit an item.
 *
 *   email ─render─> "content":…,"content_parsed":…} ─zstd─> ████████████████ ─cut─> ███ ███ ███ ██
 *
 * The base64 of an attachment stands in `content` and again in `content_parsed`; long-distance matching
 * finds it there, so that raw and parsed form together take little more than the raw form alone.
 */
import { pipeline, Readable } from "node:stream";
import {
  constants,
  createZstdCompress,
  createZstdDecompress,
  type ZstdDecompress,
  zstdDecompressSync,
} from "node:zlib";

/** An item holds 400 KB, a page of a Query 1 MiB: three segments fill one. */
const segmentBytes = 340_000;
export const segmentsPerPage = 3;

/** The first segment comes with the head: all of most emails, and of a large one little to wait for. */
const firstSegmentBytes = 100_000;

const cut = (compressed: Buffer): Buffer[] => {
  const segments = [compressed.subarray(0, firstSegmentBytes)];
  for (let start = firstSegmentBytes; start < compressed.length; start += segmentBytes) {
    segments.push(compressed.subarray(start, start + segmentBytes));
  }
  return segments;
};

/** The reader holds the window in memory: 2^27 is 128 MiB, enough for an email of 40 MiB. */
const maximumWindowLog = 27;

/** Just large enough to reach from the end of `content_parsed` back across `content`. */
const windowLog = (rawBytes: number): number =>
  Math.min(maximumWindowLog, Math.max(17, Math.ceil(Math.log2(rawBytes * 1.1 + 1))));

/** Compressed content. `bytes` is the length of its JSON. `parsedStart` is where `content_parsed` starts in it. */
export type Compressed = { segments: Buffer[]; bytes: number; parsedStart: number };

export const noContent: Compressed = { segments: [], bytes: 0, parsedStart: 0 };

/**
 * @param pieces the rendered content, and where `content_parsed` starts in it
 * @param rawBytes the size of the email that the pieces render
 */
export const compressToSegments = async (
  pieces: Iterable<Buffer, number | undefined>,
  rawBytes: number,
): Promise<Compressed> => {
  let parsedStart = 0;
  const counted = function* () {
    parsedStart = (yield* pieces) ?? 0;
  };
  const zstd = createZstdCompress({
    params: {
      [constants.ZSTD_c_compressionLevel]: 3,
      [constants.ZSTD_c_windowLog]: windowLog(rawBytes),
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
      [constants.ZSTD_c_ldmMinMatch]: 32,
      [constants.ZSTD_c_ldmHashRateLog]: 4,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
  const compressed = Buffer.concat(await pipeline(Readable.from(counted()), zstd, () => {}).toArray());
  return { segments: cut(compressed), bytes: zstd.bytesWritten, parsedStart };
};

const decompression = { params: { [constants.ZSTD_d_windowLogMax]: maximumWindowLog } };

/** Every chunk is a trip to the thread pool and back; Node's own are 16 KiB. */
const streamedChunkBytes = 512 * 1024;

/** Undoes {@link compressToSegments}, for a stream of the segments in order. */
export const decompressor = (): ZstdDecompress =>
  createZstdDecompress({ ...decompression, chunkSize: streamedChunkBytes });

/** As much as decompresses in a millisecond: for less, a stream costs more than what it carries. */
const smallBytes = 1024 * 1024;

/** The same at once, for all segments of a small content; `null` where it turns out not to be small. */
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
