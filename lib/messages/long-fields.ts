/** Reads the long fields of a message. Long fields are stored with the content instead of in the head. */
import { buffer } from "node:stream/consumers";
import type { StoredMessage } from "./find.ts";
import type { Head, LongFields } from "./head.ts";
import { beforeContent, between, contentStart, decompressed } from "./rendered-content.ts";

export const hasLongFields = ({ subject }: Head): boolean => subject === undefined;

/** Returns the fields that are stored with the content, if any. @throws Error if a segment of the content is missing */
export const readLongFields = async (message: StoredMessage): Promise<LongFields | Record<string, never>> => {
  if (!hasLongFields(message.head)) return {};
  const json = await buffer(between(decompressed(message), contentStart, beforeContent));
  return JSON.parse(`{${json}}`);
};
