/** Reads back what an email decides the length of: it stands in the head, or where it is long with the content. */
import { pipeline, Readable } from "node:stream";
import * as z from "zod/mini";
import { decompressor } from "./compression.ts";
import type { StoredMessage } from "./find.ts";
import type { Texts } from "./head.ts";
import { Message } from "./message.ts";

const TextFields = z.pick(Message, {
  message_id: true,
  subject: true,
  tags: true,
  sender: true,
  recipient: true,
});

export const hasLongTexts = ({ head }: StoredMessage): boolean => head.subject === undefined;

/** What follows the texts. No string holds it: within one, each quotation mark has a backslash before it. */
const contentField = ',"content":';

/** @throws Error when a segment of the content is missing */
export const readTexts = async (message: StoredMessage): Promise<Texts> => {
  if (!hasLongTexts(message)) return TextFields.parse(message.head);
  let rendered: Buffer = Buffer.alloc(0);
  for await (const chunk of pipeline(Readable.from(message.segments()), decompressor(), () => {})) {
    rendered = Buffer.concat([rendered, chunk]);
    const end = rendered.indexOf(contentField);
    if (end >= 0) return TextFields.parse(JSON.parse(`{${rendered.toString("utf8", 0, end)}}`));
  }
  throw new Error(`The content of message ${message.head.id} ends before its texts do`);
};
