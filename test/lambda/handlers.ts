/** Handlers whose responses end in different ways. Each export is a handler. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { sendResponse } from "../../lib/http/send.ts";

const { streamifyResponse, HttpResponseStream } = awslambda;
type Stream = awslambda.HttpResponseStream;

const prelude = { statusCode: 201, headers: { "X-Test": "yes" } };

/** The handler's observations. Every handler responds with them to the event "report". */
const seen = { bytesWritten: 0, wasLeft: false };

const handler = (run: (stream: Stream) => Promise<void>) =>
  streamifyResponse(async (event, stream) => {
    if (event !== "report") return run(stream);
    const response = HttpResponseStream.from(stream, prelude);
    response.write(JSON.stringify(seen));
    response.end();
  });

const begin = (stream: Stream): Stream => {
  const response = HttpResponseStream.from(stream, prelude);
  response.write("begun,");
  return response;
};

/** Waits until the written bytes have arrived. */
const pause = () => sleep(50);

export const completes = handler(async (stream) => {
  begin(stream).write("ended");
  stream.end();
});

export const writesNothing = handler(async (stream) => {
  HttpResponseStream.from(stream, prelude).write("");
  stream.end();
});

export const endsWithoutWriting = handler(async (stream) => {
  HttpResponseStream.from(stream, prelude).end();
});

export const throwsBeforeFirstByte = handler(async (stream) => {
  HttpResponseStream.from(stream, prelude);
  throw new RangeError("before");
});

export const throwsAfterFirstByte = handler(async (stream) => {
  begin(stream);
  throw new RangeError("after");
});

export const throwsText = handler(async (stream) => {
  begin(stream);
  throw "text";
});

export const destroysItsStream = handler(async (stream) => {
  begin(stream);
  await pause();
  stream.destroy();
});

export const destroysItsStreamWithAnError = handler(async (stream) => {
  begin(stream);
  await pause();
  stream.destroy(new RangeError("destroyed"));
});

export const pipesWhatBreaksOff = handler(async (stream) => {
  begin(stream);
  const source = Readable.from(
    (async function* () {
      yield "piped";
      await pause();
      throw new RangeError("source");
    })(),
  );
  await pipeline(source, stream);
});

export const rejectsWithoutHandler = handler(async (stream) => {
  begin(stream);
  await pause();
  void Promise.reject(new RangeError("stray"));
  await pause();
  stream.end();
});

/** Writes 64 MiB at the reader's pace, until the reader leaves. */
export const floods = handler(async (stream) => {
  const response = begin(stream);
  const left = new AbortController();
  response.once("close", () => left.abort());
  const chunk = Buffer.alloc(64 * 1024, "x");
  try {
    while (seen.bytesWritten < 64 * 1024 * 1024) {
      const more = response.write(chunk);
      seen.bytesWritten += chunk.length;
      if (!more) await once(response, "drain", { signal: left.signal });
    }
    response.end();
  } catch {
    seen.wasLeft = true;
  }
});

export const stalls = handler(async (stream) => {
  begin(stream);
  await sleep(60_000);
});

export const buffered = async (event: unknown) => ({
  ...prelude,
  body: event === "report" ? JSON.stringify(seen) : "whole",
});

export const bufferedThrows = async (event: unknown) => {
  if (event === "report") return buffered(event);
  throw new RangeError("buffered");
};

type Source = () => AsyncGenerator<string>;

const respond = (event: unknown, source: Source) => ({
  ...prelude,
  body: event === "report" ? JSON.stringify(seen) : Readable.from(source(), { objectMode: false }),
});

/** Streams a body through our `sendResponse`. */
const streamed = (source: Source) =>
  awslambda.streamifyResponse(async (event, stream, context) => {
    await sendResponse(stream, respond(event, source), context.getRemainingTimeInMillis());
  });

async function* breaksOff() {
  yield "begun,";
  await pause();
  throw new RangeError("source");
}

async function* breaksOffAtOnce() {
  yield* await Promise.reject<string[]>(new RangeError("at once"));
}

async function* endless() {
  try {
    for (;;) yield "x".repeat(64 * 1024);
  } finally {
    seen.wasLeft = true;
  }
}

async function* nothing() {
  yield* await Promise.resolve<string[]>([]);
}

async function* whole() {
  yield "begun,";
  yield "ended";
}

export const streamsWhole = streamed(whole);
export const streamsNothing = streamed(nothing);
export const streamsWhatBreaksOff = streamed(breaksOff);
export const streamsWhatBreaksOffAtOnce = streamed(breaksOffAtOnce);
export const streamsEndlessly = streamed(endless);
