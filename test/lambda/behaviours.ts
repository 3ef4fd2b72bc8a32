/** The effect of each handler on its response. AWS's runtime client and the local Lambda agree on all of them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpResponse } from "../../infra/local/lambda.ts";
import type * as handlers from "./handlers.ts";

export type Invoke = (event: unknown) => Promise<HttpResponse>;

/** The body that arrived, and the name of the error that ended the response. */
type Outcome = { body?: string; error?: string };

/** The outcome of a handler, and the handler's observations. Its process is still alive. */
export type Survived = { outcome: Outcome; seen: { bytesWritten: number; wasLeft: boolean } };

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));

const readAll = async ({ body }: HttpResponse): Promise<Outcome> => {
  let read = "";
  try {
    for await (const chunk of typeof body === "string" ? [body] : body) read += chunk;
    return { body: read };
  } catch (error) {
    return { body: read, error: nameOf(error) };
  }
};

/** Reads one chunk, waits while the handler could write much more, and disconnects. */
const leaveEarly = async ({ body }: HttpResponse): Promise<Outcome> => {
  if (typeof body === "string") throw new Error("This response is not streamed");
  body.once("data", () => body.pause());
  await sleep(300);
  body.destroy();
  await sleep(100);
  return {};
};

/** Invokes a handler, reads the response, and asks the handler for its observations. */
export const observe = async (invoke: Invoke, leaves: boolean): Promise<Survived> => {
  const response = invoke("run").then(leaves ? leaveEarly : readAll);
  const outcome = await response.catch((error) => ({ error: nameOf(error) }));
  const report = async () => JSON.parse((await readAll(await invoke("report"))).body ?? "");
  let seen = await report();
  // A busy machine needs longer to tell the handler that its reader has left.
  for (let tries = 0; leaves && !seen.wasLeft && tries < 100; tries++) {
    await sleep(100);
    seen = await report();
  }
  return { outcome, seen };
};

export type Behaviour = {
  promise: string;
  handler: keyof typeof handlers;
  becomes: Outcome | "the process ends" | ((survived: Survived) => boolean);
};

const behaviour = (promise: string, handler: Behaviour["handler"], becomes: Behaviour["becomes"]): Behaviour => ({
  promise,
  handler,
  becomes,
});

const ends = "the process ends";
const wasLeft = ({ seen }: Survived): boolean => seen.wasLeft && seen.bytesWritten < 32 * 1024 * 1024;

export const behaviours: Behaviour[] = [
  behaviour("A response is complete when its stream ends", "completes", { body: "begun,ended" }),
  behaviour("The first write sends the prelude, even an empty write", "writesNothing", { body: "" }),
  behaviour("A stream without a write has no prelude", "endsWithoutWriting", { error: "Runtime.NoPrelude" }),
  behaviour("An error before the first byte is the invocation's", "throwsBeforeFirstByte", {
    error: "RangeError",
  }),
  behaviour("An error after the first byte breaks off the response", "throwsAfterFirstByte", {
    body: "begun,",
    error: "RangeError",
  }),
  behaviour("A thrown text breaks off the response, too", "throwsText", { body: "begun,", error: "string" }),
  behaviour("A destroyed stream ends the process", "destroysItsStream", ends),
  behaviour("A stream destroyed with an error ends the process", "destroysItsStreamWithAnError", ends),
  behaviour("A pipe that fails ends the process", "pipesWhatBreaksOff", ends),
  behaviour("A rejection without a handler ends the process", "rejectsWithoutHandler", ends),
  behaviour("A slow reader slows the handler, which sees the reader leave", "floods", wasLeft),
  behaviour("A buffered response is JSON", "buffered", { body: "whole" }),
  behaviour("An error of a buffered handler is the invocation's", "bufferedThrows", { error: "RangeError" }),
  behaviour("sendResponse streams a body", "streamsWhole", { body: "begun,ended" }),
  behaviour("sendResponse sends the prelude of an empty body", "streamsNothing", { body: "" }),
  behaviour("sendResponse breaks off with its body, and the process lives", "streamsWhatBreaksOff", {
    body: "begun,",
    error: "Error",
  }),
  behaviour("sendResponse sends nothing if a body fails at once", "streamsWhatBreaksOffAtOnce", {
    error: "Error",
  }),
  behaviour("sendResponse stops reading when the reader leaves", "streamsEndlessly", wasLeft),
];
