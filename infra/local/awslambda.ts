/**
 * Streams a function's response over HTTP, as AWS's runtime client for Node.js does (aws-lambda-ric 4). If we used an
 * in-memory stream instead, backpressure and errors would differ from those on AWS.
 */
import { Agent, request } from "node:http";
import { preludeDelimiter } from "./runtime-upload.ts";

export type ResponseStream = awslambda.HttpResponseStream & { beforeFirstWrite?: () => void };

/** Emulates `awslambda.HttpResponseStream`, which sends the status and the headers with the first bytes of the body. */
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

  // A handler that destroys its response stream causes an unhandled rejection, which ends the process, as on AWS.
  const begun = Promise.withResolvers<void>();
  const accepted = Promise.withResolvers<void>();
  outgoing.once("response", (response) => {
    begun.resolve();
    response.once("end", accepted.resolve).resume();
  });
  outgoing.on("error", (error: NodeJS.ErrnoException) => {
    // EPIPE and ECONNRESET are expected if the API's caller has disconnected, but not if the function has destroyed its
    // own stream.
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
