/** The Message object as a stream of JSON: the head's fields, then the content as it was rendered. */
import { pipeline, Readable } from "node:stream";
import { decompressor } from "./compression.ts";
import type { StoredMessage } from "./find.ts";
import { headJson } from "./head.ts";

/** Nothing is parsed; memory and time to the first byte do not grow with the message. */
export const messageBody = ({ head, segments }: StoredMessage): Readable => {
  if (head.segments === 0) {
    return Readable.from([Buffer.from(`${headJson(head)},"content":null,"content_parsed":null}`)]);
  }
  return Readable.from(
    (async function* () {
      yield Buffer.from(`${headJson(head)},`);
      // Only now: fetching and decompressing ahead would hold back the first byte.
      yield* pipeline(Readable.from(segments()), decompressor(), () => {});
    })(),
    { objectMode: false },
  );
};
