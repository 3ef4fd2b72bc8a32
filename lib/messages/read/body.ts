/** Renders the JSON of a message: first the short fields, and then the content as it is stored. */
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { StreamedBody } from "../../streams/streamed-body.ts";
import { throughZlib } from "../../streams/through-zlib.ts";
import { decompress, decompressor, smallBytes } from "../content/compression.ts";
import { readSegments } from "../content/read-segments.ts";
import { closeFrame, isSendable, openFrame } from "../content/zstd-frame.ts";
import { type MessageField, messageFields } from "../fields.ts";
import type { StoredMessage } from "./find-message.ts";
import { headFields } from "./head-fields.ts";

/** We yield to the event loop, so that Node.js sends the first fields before we start to read the content. */
async function* opened(opening: Buffer, read: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield opening;
  await setImmediate();
  yield* read();
}

/** Yields the bytes from `from` up to, but not including, `to`. Throws an Error if the content ends before `to`. */
export async function* slice(content: AsyncIterable<Buffer>, from: number, to: number): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of content) {
    const bytes = chunk.subarray(Math.max(0, from - offset), to - offset);
    if (bytes.length > 0) yield bytes;
    offset += chunk.length;
    if (offset > to) return; // At the very end, we read on, because zstd has yet to compare the checksum.
  }
  if (offset < to) throw new Error("The content of a message is incomplete");
}

/** `left` is aborted when the stream is destroyed. By itself, a stream waits for its generator, and that for a page. */
const stream = (chunks: (left: AbortSignal) => AsyncIterable<Uint8Array>): Readable => {
  const leaving = new AbortController();
  const readable = Readable.from(chunks(leaving.signal), { objectMode: false });
  const destroy = readable._destroy.bind(readable);
  readable._destroy = (...how) => {
    leaving.abort();
    destroy(...how);
  };
  return readable;
};

/**
 * Returns the selected fields, or all fields if none are selected. If no stored content has to be sent, the body is a
 * string, which is faster than a stream.
 */
export const messageBody = (message: StoredMessage, selected?: readonly MessageField[]): StreamedBody | string => {
  const { head, first } = message;
  const { content_bytes, content_parsed_start } = head;
  const wanted = new Set<string>(selected ?? messageFields);
  const json = (fields: object): string => {
    const entries = Object.entries(fields).filter(([name]) => wanted.has(name));
    return JSON.stringify(Object.fromEntries(entries)).slice(1, -1);
  };
  const noContent = head.segments === 0 ? { content: null, content_parsed: null } : {};
  const fields = [headFields(message), noContent].map(json).filter(Boolean).join(",");
  const hasContent = wanted.has("content");
  const hasParsed = wanted.has("content_parsed");
  if (head.segments === 0 || !(hasContent || hasParsed)) return `{${fields}}`;

  const opening = Buffer.from(fields === "" ? "{" : `{${fields},`);
  const from = hasContent ? 0 : content_parsed_start;
  const to = hasParsed ? content_bytes : content_parsed_start - 1;
  const end = Buffer.from(hasParsed ? "" : "}");
  const chunks = async function* (left: AbortSignal): AsyncGenerator<Uint8Array> {
    if (first && head.segments === 1 && content_bytes <= smallBytes) {
      return yield Buffer.concat([opening, decompress(first).subarray(from, to), end]);
    }
    yield* opened(opening, () => slice(throughZlib(readSegments(message, left), decompressor()), from, to));
    if (!hasParsed) yield end;
  };
  const body = Object.assign(stream(chunks), { bytes: opening.length + to - from + end.length });
  if (from > 0 || !hasParsed || !first || !isSendable(first)) return body;
  const zstd = () => stream((left) => opened(openFrame(first, opening), () => closeFrame(readSegments(message, left))));
  return Object.assign(body, { zstd });
};
