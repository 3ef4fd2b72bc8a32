/** Reads the long fields of a message, which are stored at the beginning of its content instead of in its head. */
import { buffer } from "node:stream/consumers";
import { longFields, type MessageField } from "./fields.ts";
import type { StoredMessage } from "./find.ts";
import type { Head, LongFields } from "./head.ts";
import { oneByOne } from "./read-segments.ts";
import { decompressed, slice } from "./rendered-content.ts";

export const hasLongFields = ({ content_start }: Head): boolean => content_start > 0;

/** Returns no fields if the head has them all. @throws Error if a segment of the content is missing */
export const readLongFields = async (message: StoredMessage): Promise<LongFields | Record<string, never>> => {
  if (!hasLongFields(message.head)) return {};
  const json = await buffer(slice(decompressed(oneByOne(message)), 0, message.head.content_start - 1));
  return JSON.parse(`{${json}}`);
};

/**
 * Adds the long fields to a message if the response selects one of them. This happens before the first byte is sent,
 * because a head that was read eventually consistent may name segments that `remove-content` has deleted since. The
 * function then returns `null`, like `findMessage`, and the caller reads the head again.
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
