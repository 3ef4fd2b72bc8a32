/** Sends a response to callers who may read slowly, or disconnect halfway. */
import { once } from "node:events";
import type { ProxyResult } from "./response.ts";

export type Sent = {
  /** `Date.now()` at the first byte. */
  firstByteAt: number | undefined;
  /** True if we had to end the response early because the caller read too slowly. */
  isReaderSlow: boolean;
};

/** We stop sending 10 s before the timeout, to leave time for the log. */
const millisecondsToEnd = 10_000;

/**
 * Backpressure: we write no faster than the caller reads. With Middy's streaming, an error in the body would end the
 * process.
 *
 * @param millisecondsLeft until the function's timeout
 * @throws Error if the body fails, with the original error as its `cause`, which Lambda's runtime client doesn't log
 */
export const sendResponse = async (
  lambdaStream: awslambda.HttpResponseStream,
  { body, ...prelude }: ProxyResult,
  millisecondsLeft: number,
): Promise<Sent> => {
  const stream = awslambda.HttpResponseStream.from(lambdaStream, prelude);
  const left = new AbortController();
  const stopped = new AbortController();
  let isReaderSlow = false;
  const stop = (reason: "left" | "slow") => {
    if (reason === "left") left.abort();
    else isReaderSlow = true;
    stopped.abort();
    if (typeof body !== "string") body.destroy(); // stops reading from the table
  };
  if (stream.destroyed) stop("left");
  else stream.once("close", () => stream.writableFinished || stop("left")); // A complete response also emits `close`.
  const timer = setTimeout(stop, Math.max(0, millisecondsLeft - millisecondsToEnd), "slow");
  let firstByteAt: number | undefined;
  const write = async (chunk: string | Uint8Array) => {
    stopped.signal.throwIfAborted();
    const hasRoom = stream.write(chunk);
    firstByteAt ??= Date.now();
    if (!hasRoom) await once(stream, "drain", { signal: stopped.signal });
  };
  const writeAll = async () => {
    for await (const chunk of typeof body === "string" ? [body] : body) await write(chunk);
    await write(""); // Without a write, an empty response would lose its status and headers.
  };
  try {
    await writeAll().catch((error) => {
      if (!isReaderSlow) throw error;
    });
    const finished = once(stream, "finish", { signal: left.signal });
    stream.end();
    await finished;
  } catch (cause) {
    if (!left.signal.aborted) throw new Error("The response broke off", { cause });
  } finally {
    clearTimeout(timer);
  }
  return { firstByteAt, isReaderSlow };
};
