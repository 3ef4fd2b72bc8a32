/** An execution mode of middy that sends the response through Lambda's stream. */
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Request } from "@middy/core";
import type { Context } from "aws-lambda";

/** The result of the middlewares. Status and headers form the prelude of the stream. */
type Result = { statusCode: number; headers?: Record<string, unknown>; body: string | Readable };

/** How a response was sent. */
export type Sent = {
  /** `Date.now()` at the first byte. */
  firstByteAt?: number;
  /** The reader was too slow to receive the whole response in time. */
  isReaderSlow: boolean;
};

/** At the function's timeout, Lambda kills the process and counts a crash. A slow reader must not cause this. */
const millisecondsToEnd = 10_000;

/**
 * Writes the body as fast as the reader reads it, and ends the stream. Shortly before the function's timeout, cuts the
 * body off and ends the stream. middy's own mode uses a pipe, which destroys Lambda's stream if the body fails. The
 * runtime client then rejects a promise without a handler, and the process ends.
 *
 * @param millisecondsLeft the time until the function's timeout
 * @throws Error if the body fails. The runtime client logs every field of the error. DynamoDB's errors can contain
 * items, so the thrown error has only a cause, which the client does not log.
 */
export const sendResponse = async (
  lambdaStream: awslambda.HttpResponseStream,
  { body, ...prelude }: Result,
  millisecondsLeft: number,
): Promise<Sent> => {
  const sent: Sent = { isReaderSlow: false };
  const stream = awslambda.HttpResponseStream.from(lambdaStream, prelude);
  const left = new AbortController();
  const stopped = new AbortController();
  const stop = () => {
    stopped.abort();
    if (typeof body !== "string") body.destroy(); // ends the reads from the table
  };
  const leave = () => {
    left.abort();
    stop();
  };
  if (stream.destroyed) leave();
  else stream.once("close", leave);
  const timer = setTimeout(() => {
    sent.isReaderSlow = true;
    stop();
  }, millisecondsLeft - millisecondsToEnd);
  const write = async (chunk: string | Uint8Array) => {
    stopped.signal.throwIfAborted();
    const hasRoom = stream.write(chunk);
    sent.firstByteAt ??= Date.now();
    if (!hasRoom) await once(stream, "drain", { signal: stopped.signal });
  };
  const writeAll = async () => {
    for await (const chunk of typeof body === "string" ? [body] : body) await write(chunk);
    await write(""); // The prelude is sent with the first write, so an empty body needs a write, too.
  };
  try {
    await writeAll().catch((error) => {
      if (!sent.isReaderSlow) throw error;
    });
    const finished = once(stream, "finish", { signal: left.signal });
    stream.end();
    await finished;
  } catch (cause) {
    if (!left.signal.aborted) throw new Error("The response broke off", { cause });
  } finally {
    clearTimeout(timer);
  }
  return sent;
};

/** A request whose response is streamed. `sent` is set after the last byte. */
// biome-ignore lint/suspicious/noExplicitAny: middy's own type of a result
export type StreamedRequest = Request<unknown, any, Error, Context, { sent?: Sent }>;

type Middlewares = ((request: Request) => unknown)[];
type Handler = (event: unknown, context: Context) => unknown;
type Plugin = { requestStart: (request: Request) => void; requestEnd: (request: Request) => unknown };
type Stack = [
  before: Middlewares,
  handler: Handler,
  after: Middlewares,
  onError: Middlewares,
  plugin: Plugin,
];
type Core = {
  middyRequest: (event: unknown, context: Context) => StreamedRequest;
  runRequest: (request: Request, ...stack: Stack) => Promise<Result>;
};

/**
 * Runs a handler that returns its body as a string or a stream.
 *
 * @example
 * middy({ executionMode: streamResponse }).handler(() => ({ statusCode: 200, body: Readable.from(["Hello"]) }));
 */
export const streamResponse = (...given: [Core, ...Stack] | []) => {
  // middy's types declare an execution mode without parameters.
  if (given.length === 0) throw new TypeError("Only middy may call an execution mode");
  const [{ middyRequest, runRequest }, before, initialHandler, after, onError, plugin] = given;
  let handler = initialHandler;
  const run = awslambda.streamifyResponse(async (event, stream, context) => {
    const request = middyRequest(event, context);
    plugin.requestStart(request);
    try {
      const result = await runRequest(request, before, handler, after, onError, plugin);
      request.internal.sent = await sendResponse(stream, result, context.getRemainingTimeInMillis());
    } finally {
      await plugin.requestEnd(request);
    }
  });
  return Object.assign(run, {
    handler: (replacement: Handler) => {
      handler = replacement;
      return run;
    },
  });
};
