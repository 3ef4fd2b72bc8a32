/**
 * The stream that a function writes its response to, as AWS's runtime client for Node.js makes it
 * (aws-lambda-ric 4): an HTTP request to Lambda, whose back-pressure, errors and end are HTTP's.
 */
import { Agent, request } from "node:http";
import { preludeDelimiter } from "./invocation-response.ts";

export type ResponseStream = awslambda.HttpResponseStream & { beforeFirstWrite?: () => void };

/** `awslambda.HttpResponseStream`. The prelude leaves with the first write: a stream that has none, has none. */
export const HttpResponseStream = {
  from: (stream: ResponseStream, prelude: object): ResponseStream => {
    stream.setContentType("application/vnd.awslambda.http-integration-response");
    stream.beforeFirstWrite = () => {
      stream.write(JSON.stringify(prelude));
      stream.write(preludeDelimiter);
    };
    return stream;
  },
};

const agent = new Agent({ keepAlive: true });

const errorType = "Lambda-Runtime-Function-Error-Type";
const errorBody = "Lambda-Runtime-Function-Error-Body";

/** `accepted` resolves when Lambda has answered; `fail` ends the stream with trailers that say what was thrown. */
export const openResponseStream = (port: number, path: string) => {
  const outgoing = request({
    host: "127.0.0.1",
    port,
    path,
    method: "POST",
    agent,
    headers: {
      "Content-Type": "application/octet-stream",
      "Transfer-Encoding": "chunked",
      Trailer: [errorType, errorBody],
    },
  });

  // The real client handles a rejection of the first nowhere, and one of the second only when the handler has
  // returned. So a stream that is destroyed is a rejection without a handler, which ends the process: here too.
  const begun = Promise.withResolvers<void>();
  const accepted = Promise.withResolvers<void>();
  outgoing.once("response", (response) => {
    begun.resolve();
    response.once("end", accepted.resolve).resume();
  });
  outgoing.on("error", (error: NodeJS.ErrnoException) => {
    // Lambda ends the connection when a reader leaves, and its answer may be lost with it. A stream that the function
    // destroys ends with the same code.
    const isReaderGone = !isDestroyed && (error.code === "EPIPE" || error.code === "ECONNRESET");
    for (const { resolve, reject } of [begun, accepted]) isReaderGone ? resolve() : reject(error);
  });

  const destroy = outgoing.destroy.bind(outgoing);
  const write = outgoing.write.bind(outgoing);
  let isDestroyed = false;
  let isWritten = false;
  const stream: ResponseStream = Object.assign(outgoing, {
    setContentType: (type: string) => {
      if (isWritten) throw new Error("Cannot set content-type, too late.");
      outgoing.setHeader("Content-Type", type);
    },
    destroy: (error?: Error) => {
      isDestroyed = true;
      return destroy(error);
    },
    write: (...parameters: Parameters<typeof write>): boolean => {
      if (!isWritten) {
        isWritten = true;
        stream.beforeFirstWrite?.();
      }
      return write(...parameters);
    },
  });

  return {
    stream,
    accepted: accepted.promise,
    fail: (error: { errorType: string; errorMessage: string }): void => {
      outgoing.addTrailers({
        [errorType]: error.errorType,
        [errorBody]: Buffer.from(JSON.stringify(error)).toString("base64"),
      });
      outgoing.end();
    },
  };
};
