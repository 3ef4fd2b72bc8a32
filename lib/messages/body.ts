/** Streams a message as JSON. The JSON starts with the fields of the message's head, and ends with the content. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import type { StreamedBody } from "../streamed-body.ts";
import { decompressSmall } from "./compression.ts";
import { longFields, type MessageField, messageFields } from "./fields.ts";
import type { StoredMessage } from "./find.ts";
import { headFields } from "./head-fields.ts";
import { hasLongFields, readLongFields } from "./long-fields.ts";
import { beforeContent, beforeParsed, between, contentStart, decompressed } from "./rendered-content.ts";
import { closeFrame, isSendable, openFrame } from "./zstd-frame.ts";

const noContent = Buffer.from('"content":null,"content_parsed":null}');

/** Decompresses short content. Returns `null` if the content exceeds 1 MiB, or if `firstPage` lacks a segment. */
const smallContent = ({ head, firstPage }: StoredMessage): Buffer | null => {
  if (head.segments === 0) return noContent;
  return firstPage.length === head.segments ? decompressSmall(firstPage) : null;
};

/** Yields `opening` and then `content`. The pause lets Node.js send `opening` before `content` is read. */
async function* opened(opening: Buffer, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield opening;
  await setImmediate();
  yield* content;
}

const stream = (chunks: AsyncIterable<Uint8Array>): Readable => Readable.from(chunks, { objectMode: false });

const wholeBody = (message: StoredMessage, opening: Buffer): StreamedBody => {
  const { segments, content_bytes } = message.head;
  const [firstSegment] = message.firstPage;
  const chunks = async function* () {
    const content = smallContent(message);
    if (content) yield Buffer.concat([opening, content]);
    else yield* opened(opening, decompressed(message));
  };
  const bytes = opening.length + (segments === 0 ? noContent.length : content_bytes);
  const body = Object.assign(stream(chunks()), { bytes });
  if (!firstSegment || !isSendable(firstSegment)) return body;
  const zstd = () => stream(opened(openFrame(firstSegment, opening), closeFrame(message.segments())));
  return Object.assign(body, { zstd });
};

/** Returns the wanted fields as JSON, without the braces of the object. */
const fieldsJson = (fields: object, wanted: ReadonlySet<string>): string => {
  const selected = Object.entries(fields).filter(([name]) => wanted.has(name));
  return JSON.stringify(Object.fromEntries(selected)).slice(1, -1);
};

const selectedBody = (message: StoredMessage, wanted: ReadonlySet<string>): StreamedBody | string => {
  const { head } = message;
  const hasLong = hasLongFields(head);
  const long = hasLong && longFields.some((name) => wanted.has(name));
  const content = wanted.has("content");
  const parsed = wanted.has("content_parsed");
  const ofHead = fieldsJson(headFields(head), wanted);
  if (!long && !content && !parsed) return `{${ofHead}}`;

  const select = async function* (all: AsyncIterable<Buffer> | Iterable<Buffer>) {
    const from = content ? (hasLong ? beforeContent : contentStart) : beforeParsed(head);
    yield* between(all, from, parsed ? undefined : beforeParsed(head));
    if (!parsed) yield Buffer.from("}");
  };
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const ofLong = long ? fieldsJson(await readLongFields(message), wanted) : "";
    const opening = `{${[ofHead, ofLong].filter(Boolean).join(",")}`;
    if (!content && !parsed) return yield Buffer.from(`${opening}}`);
    const separated = Buffer.from(opening === "{" ? opening : `${opening},`);
    const small = smallContent(message);
    if (small) yield Buffer.concat([separated, await buffer(select([small]))]);
    else yield* opened(separated, select(decompressed(message)));
  };
  const { content_bytes: all, content_parsed_start: start } = head;
  const ofContent = long || (content && parsed) ? all : content ? start : parsed ? all - start : 0;
  return Object.assign(stream(chunks()), { bytes: Buffer.byteLength(ofHead) + ofContent + 3 });
};

/**
 * Returns the Message object as JSON, by default with all fields. Without content, returns a string, which needs less
 * processor time than a stream. Memory use does not grow with the size of the message. If the response includes all
 * content, `zstd` sends the stored bytes without recompressing the content.
 */
export const messageBody = (
  message: StoredMessage,
  fields: readonly MessageField[] = messageFields,
): StreamedBody | string => {
  const wanted = new Set<string>(fields);
  const stored = ["content", "content_parsed", ...(hasLongFields(message.head) ? longFields : [])];
  if (!stored.every((name) => wanted.has(name))) return selectedBody(message, wanted);
  const ofHead = fieldsJson(headFields(message.head), wanted);
  return wholeBody(message, Buffer.from(ofHead ? `{${ofHead},` : "{"));
};
