/** Sends a response through Lambda's stream: how middy runs the handler of an operation that streams. */
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Request } from "@middy/core";
import type { Context } from "aws-lambda";

/** What the middlewares leave: all but the body is the prelude, which says status and headers. */
type Result = { statusCode: number; headers?: Record<string, unknown>; body: string | Readable };

/**
 * Writes the body at the reader's pace, and ends the stream. middy's own mode pipes instead, and a pipe destroys
 * Lambda's stream when the body fails: then the runtime client rejects a promise that nobody awaits, and the
 * process ends. Left as it is, the stream gets trailers from the client that say what was thrown.
 *
 * @throws Error when the body fails. The client logs all fields of what is thrown, and of an error of DynamoDB
 * those can be items: so it is a new error, with the other one as its cause, which is not logged.
 */
export const sendResponse = async (
  lambdaStream: awslambda.HttpResponseStream,
  { body, ...prelude }: Result,
): Promise<void> => {
  const stream = awslambda.HttpResponseStream.from(lambdaStream, prelude);
  const reader = new AbortController();
  const { signal } = reader;
  const leave = () => {
    reader.abort();
    if (typeof body !== "string") body.destroy(); // who has left ends the reading of the table
  };
  if (stream.destroyed) leave();
  else stream.once("close", leave);
  const write = async (chunk: string | Uint8Array) => {
    signal.throwIfAborted();
    if (!stream.write(chunk)) await once(stream, "drain", { signal });
  };
  try {
    for await (const chunk of typeof body === "string" ? [body] : body) await write(chunk);
    await write(""); // of an empty body too the prelude leaves: with the first write, not with the end
    const finished = once(stream, "finish", { signal });
    stream.end();
    await finished;
  } catch (cause) {
    if (!signal.aborted) throw new Error("The response broke off", { cause });
  }
};

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
  middyRequest: (event: unknown, context: Context) => Request;
  runRequest: (request: Request, ...stack: Stack) => Promise<Result>;
};

/**
 * The execution mode to give to middy, for a handler that returns its body as a string or a stream.
 *
 * @example
 * middy({ executionMode: streamResponse }).handler(() => ({ statusCode: 200, body: Readable.from(["Hello"]) }));
 */
export const streamResponse = (...given: [Core, ...Stack] | []) => {
  // middy's types don't say that it calls an execution mode with anything.
  if (given.length === 0) throw new TypeError("middy calls this, with its core and the stack");
  const [{ middyRequest, runRequest }, before, initialHandler, after, onError, plugin] = given;
  let handler = initialHandler;
  const run = awslambda.streamifyResponse(async (event, stream, context) => {
    const request = middyRequest(event, context);
    plugin.requestStart(request);
    try {
      await sendResponse(stream, await runRequest(request, before, handler, after, onError, plugin));
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
