/** The Message object as a stream of JSON: the head's fields, then the content as it was rendered. */
import { pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { decompressor, decompressSmall } from "./compression.ts";
import type { StoredMessage } from "./find.ts";
import { headJson } from "./head.ts";
import { closeFrame, isSendable, openFrame } from "./zstd-frame.ts";

const noContent = Buffer.from('"content":null,"content_parsed":null}');

/** The content in one piece, where it is here already and small: most emails, and a quarter less to do. */
const wholeContent = ({ head, firstPage }: StoredMessage): Buffer | null => {
  if (head.segments === 0) return noContent;
  return firstPage.length === head.segments ? decompressSmall(firstPage) : null;
};

type Body = Readable & { bytes: number; zstd?: () => Readable };

/**
 * Nothing is parsed; memory and time to the first byte do not grow with the message. Where `zstd` is there, it
 * makes the same stream in that coding, from what is stored: nothing is decompressed or compressed. `bytes` is how
 * many there are, known before the first is read.
 */
export const messageBody = (message: StoredMessage): Body => {
  const opening = Buffer.from(`${headJson(message.head)},`);
  const [firstSegment] = message.firstPage;

  const decompressed = async function* (): AsyncGenerator<Uint8Array> {
    const content = wholeContent(message);
    if (content) return yield Buffer.concat([opening, content]);
    yield opening;
    // Only when that has left: fetching and decompressing ahead would hold back the first byte.
    await setImmediate();
    yield* pipeline(Readable.from(message.segments()), decompressor(), () => {});
  };
  const bytes =
    opening.length + (message.head.segments === 0 ? noContent.length : message.head.content_bytes);
  const body = Object.assign(Readable.from(decompressed(), { objectMode: false }), { bytes });
  if (!firstSegment || !isSendable(firstSegment)) return body;

  const asStored = async function* (): AsyncGenerator<Uint8Array> {
    yield openFrame(firstSegment, opening);
    await setImmediate();
    yield* closeFrame(message.segments());
  };
  return Object.assign(body, { zstd: () => Readable.from(asStored(), { objectMode: false }) });
};
