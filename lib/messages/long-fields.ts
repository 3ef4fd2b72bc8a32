/** Reads the long fields of a message. A message with long fields stores them with its content, not in its head. */
import { buffer } from "node:stream/consumers";
import type { StoredMessage } from "./find.ts";
import type { Head, LongFields } from "./head.ts";
import { beforeContent, between, contentStart, decompressed } from "./rendered-content.ts";

export const hasLongFields = ({ subject }: Head): boolean => subject === undefined;

/** Returns the long fields, or no fields if the head contains them. @throws Error if a segment is missing */
export const readLongFields = async (message: StoredMessage): Promise<LongFields | Record<string, never>> => {
  if (!hasLongFields(message.head)) return {};
  const json = await buffer(between(decompressed(message), contentStart, beforeContent));
  return JSON.parse(`{${json}}`);
};
