/** The Message object as a stream of JSON: the head's fields, then the content as it was rendered. */
import { pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { decompressor, decompressSmall } from "./compression.ts";
import type { StoredMessage } from "./find.ts";
import { headJson } from "./head.ts";

const noContent = Buffer.from('"content":null,"content_parsed":null}');

/** The content in one piece, where it is here already and small: most emails, and a quarter less to do. */
const wholeContent = ({ head, firstPage }: StoredMessage): Buffer | null => {
  if (head.segments === 0) return noContent;
  return firstPage.length === head.segments ? decompressSmall(firstPage) : null;
};

/** Nothing is parsed; memory and time to the first byte do not grow with the message. */
export const messageBody = (message: StoredMessage): Readable => {
  const opening = Buffer.from(`${headJson(message.head)},`);
  const content = wholeContent(message);
  if (content) return Readable.from([Buffer.concat([opening, content])]);
  return Readable.from(
    (async function* () {
      yield opening;
      // Only when that has left: fetching and decompressing ahead would hold back the first byte.
      await setImmediate();
      yield* pipeline(Readable.from(message.segments()), decompressor(), () => {});
    })(),
    { objectMode: false },
  );
};
