/** If the subject and similar fields are very long, they are stored in front of the content and read from there. */
import { decompressor } from "./compression.ts";
import { longFields, type MessageField } from "./fields.ts";
import type { StoredMessage } from "./find.ts";
import type { Head, LongFields } from "./head.ts";
import { readSegment } from "./read-segments.ts";

export const hasLongFields = ({ content_start }: Head): boolean => content_start > 0;

/** We don't use `pipeline` here, because it would read the next segment even if we don't need it. */
const readStart = async (message: StoredMessage, bytes: number): Promise<Buffer> => {
  const zstd = decompressor();
  const chunks: Buffer[] = [];
  let missing = bytes;
  zstd.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    missing -= chunk.length;
    if (missing <= 0) zstd.destroy(); // A segment may decompress to a thousand times its size.
  });
  try {
    for (let index = 0; missing > 0; index++) {
      const segment = (index === 0 && message.first) || (await readSegment(message, index));
      await new Promise<void>((resolve, reject) => {
        zstd.once("error", reject);
        zstd.write(segment, () => resolve());
      });
    }
  } finally {
    zstd.destroy();
  }
  return Buffer.concat(chunks).subarray(0, bytes);
};

/** @throws Error if a segment of the content is missing */
export const readLongFields = async (message: StoredMessage): Promise<LongFields | Record<string, never>> => {
  if (!hasLongFields(message.head)) return {};
  const json = await readStart(message, message.head.content_start - 1);
  return JSON.parse(`{${json}}`);
};

/**
 * Reads the fields that are stored with the content, such as a very long subject, if one of them is selected. Returns
 * `null` if the fields can't be read, and the head may be out of date.
 */
export const withLongFields = async (
  message: StoredMessage | null,
  selected?: readonly MessageField[],
): Promise<StoredMessage | null> => {
  if (!message || !hasLongFields(message.head)) return message;
  if (!longFields.some((name) => selected?.includes(name))) return message;
  try {
    return { ...message, longFields: await readLongFields(message) };
  } catch (error) {
    if (message.isCurrent) throw error;
    return null;
  }
};
