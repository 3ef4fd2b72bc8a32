/** Renders a message as JSON: first the fields of its head, then its content as it is stored. */
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { StreamedBody } from "../streamed-body.ts";
import { decompressSmall } from "./compression.ts";
import { type MessageField, messageFields } from "./fields.ts";
import type { StoredMessage } from "./find.ts";
import { headFields } from "./head-fields.ts";
import { readSegments } from "./read-segments.ts";
import { decompressed, slice } from "./rendered-content.ts";
import { closeFrame, isSendable, openFrame } from "./zstd-frame.ts";

/** The content of a message without segments. */
const noContent = { content: null, content_parsed: null };

/** Yields `opening` and then `content`. The pause lets Node.js send `opening` before `content` is read. */
async function* opened(opening: Buffer, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield opening;
  await setImmediate();
  yield* content;
}

const stream = (chunks: AsyncIterable<Uint8Array>): Readable => Readable.from(chunks, { objectMode: false });

/**
 * Returns the selected fields of the Message object, by default all. A body without content is a string, which needs
 * less processor time than a stream. Memory use does not grow with the size of the message. If all of the content is
 * selected, `zstd` sends the stored bytes as they are.
 *
 * @param message with its long fields, if `selected` has one: see `withLongFields`
 */
export const messageBody = (message: StoredMessage, selected?: readonly MessageField[]): StreamedBody | string => {
  const { head, first, longFields = {} } = message;
  const { content_bytes, content_start, content_parsed_start } = head;
  const wanted = new Set<string>(selected ?? messageFields);
  const json = (fields: object): string => {
    const entries = Object.entries(fields).filter(([name]) => wanted.has(name));
    return JSON.stringify(Object.fromEntries(entries)).slice(1, -1);
  };
  const parts = [headFields(head), longFields, head.segments === 0 ? noContent : {}];
  const fields = parts.map(json).filter(Boolean).join(",");
  const hasContent = wanted.has("content");
  const hasParsed = wanted.has("content_parsed");
  if (head.segments === 0 || !(hasContent || hasParsed)) return `{${fields}}`;

  const opening = Buffer.from(fields === "" ? "{" : `{${fields},`);
  const from = !selected ? 0 : hasContent ? content_start : content_parsed_start;
  const to = hasParsed ? content_bytes : content_parsed_start - 1;
  const end = Buffer.from(hasParsed ? "" : "}");
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const small = first && head.segments === 1 ? decompressSmall(first) : null;
    if (small) return yield Buffer.concat([opening, small.subarray(from, to), end]);
    yield* opened(opening, slice(decompressed(readSegments(message)), from, to));
    if (!hasParsed) yield end;
  };
  const body = Object.assign(stream(chunks()), { bytes: opening.length + to - from + end.length });
  if (from > 0 || !hasParsed || !first || !isSendable(first)) return body;
  const zstd = () => stream(opened(openFrame(first, opening), closeFrame(readSegments(message))));
  return Object.assign(body, { zstd });
};
