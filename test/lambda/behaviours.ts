/** What becomes of a response, by what its handler does: the same under AWS's runtime client and on this machine. */
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpResponse } from "../../infra/local/invocation-response.ts";
import type * as handlers from "./handlers.ts";

export type Invoke = (event: unknown) => Promise<HttpResponse>;

/** Of the error that a response ended with, the name. */
type Outcome = { body?: string; error?: string };

/** What became of the response, and what the handler had seen by then: its process is still alive. */
export type Survived = { outcome: Outcome; seen: { bytesWritten: number; wasLeft: boolean } };

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));

/** Reads to the end. */
const readAll = async ({ body }: HttpResponse): Promise<Outcome> => {
  let read = "";
  try {
    for await (const chunk of typeof body === "string" ? [body] : body) read += chunk;
    return { body: read };
  } catch (error) {
    return { body: read, error: nameOf(error) };
  }
};

/** Reads a little, waits while the handler could write much more, and leaves. */
const leaveEarly = async ({ body }: HttpResponse): Promise<Outcome> => {
  if (typeof body === "string") throw new Error("This response is not streamed");
  body.once("data", () => body.pause());
  await sleep(300);
  body.destroy();
  await sleep(100);
  return {};
};

/** Invokes a handler, reads what it answers, and asks it what it has seen. */
export const observe = async (invoke: Invoke, leaves: boolean): Promise<Survived> => {
  const response = invoke("run").then(leaves ? leaveEarly : readAll);
  const outcome = await response.catch((error) => ({ error: nameOf(error) }));
  const { body } = await readAll(await invoke("report"));
  return { outcome, seen: JSON.parse(body ?? "") };
};

export const timeoutMilliseconds = 1500;

export type Behaviour = {
  promise: string;
  handler: keyof typeof handlers;
  becomes: Outcome | "the process ends" | ((survived: Survived) => boolean);
};

const mebibytes = 1024 * 1024;

export const behaviours: Behaviour[] = [
  {
    promise: "A response is complete when its stream has ended",
    handler: "completes",
    becomes: { body: "begun,ended" },
  },
  {
    promise: "The prelude leaves with the first write, even of nothing",
    handler: "writesNothing",
    becomes: { body: "" },
  },
  {
    promise: "A stream that ends without a write has no prelude",
    handler: "endsWithoutWriting",
    becomes: { error: "Runtime.NoPrelude" },
  },
  {
    promise: "What is thrown before the first byte is the invocation's error",
    handler: "throwsBeforeFirstByte",
    becomes: { error: "RangeError" },
  },
  {
    promise: "What is thrown after the first byte breaks the response off, with trailers that name it",
    handler: "throwsAfterFirstByte",
    becomes: { body: "begun,", error: "RangeError" },
  },
  {
    promise: "What is thrown need not be an error",
    handler: "throwsText",
    becomes: { body: "begun,", error: "string" },
  },
  { promise: "A stream that is destroyed", handler: "destroysItsStream", becomes: "the process ends" },
  {
    promise: "A stream that is destroyed with an error",
    handler: "destroysItsStreamWithAnError",
    becomes: "the process ends",
  },
  { promise: "A pipe that breaks off", handler: "pipesWhatBreaksOff", becomes: "the process ends" },
  {
    promise: "A rejection without a handler",
    handler: "rejectsWithoutHandler",
    becomes: "the process ends",
  },
  {
    promise:
      "A handler that is written to be read slowly waits for its reader, and hears that the reader leaves",
    handler: "floods",
    becomes: ({ seen }) => seen.wasLeft && seen.bytesWritten < 32 * mebibytes,
  },
  { promise: "A buffered response is JSON", handler: "buffered", becomes: { body: "whole" } },
  {
    promise: "What a buffered handler throws is the invocation's error",
    handler: "bufferedThrows",
    becomes: { error: "RangeError" },
  },
  {
    promise: "Our execution mode streams a body",
    handler: "streamsWhole",
    becomes: { body: "begun,ended" },
  },
  {
    promise: "Our execution mode sends the prelude of a body that is empty",
    handler: "streamsNothing",
    becomes: { body: "" },
  },
  {
    promise: "Our execution mode breaks off with a body, and the process lives",
    handler: "streamsWhatBreaksOff",
    becomes: { body: "begun,", error: "Error" },
  },
  {
    promise: "Our execution mode has sent nothing when a body fails at once",
    handler: "streamsWhatBreaksOffAtOnce",
    becomes: { error: "Error" },
  },
  {
    promise: "Our execution mode stops reading a body when its reader leaves",
    handler: "streamsEndlessly",
    becomes: ({ seen }) => seen.wasLeft,
  },
  {
    promise: "middy's own execution mode breaks off with a body",
    handler: "middyStreamsWhatBreaksOff",
    becomes: "the process ends",
  },
];
