/**
 * Lambda's end of an invocation: what the runtime client sends over HTTP, read as an HTTP response. A
 * streamed one is a POST whose body begins with the prelude, and whose trailers say how the function failed.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";

export type HttpResponse = {
  statusCode: number;
  headers: Record<string, string>;
  /** Breaks off with the error of a function that fails after it has begun to answer. */
  body: Readable | string;
};

/** A function that has failed; `name` is the type of what it threw. */
export class FunctionError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** What ends the prelude, which is JSON with status and headers. */
export const preludeDelimiter = Buffer.alloc(8);

/** @param json what the runtime client reports of an error */
export const functionError = (json: string): FunctionError => {
  const { errorType, errorMessage }: { errorType: string; errorMessage: string } = JSON.parse(json);
  return new FunctionError(errorType, errorMessage);
};

const errorInTrailers = ({ trailers }: IncomingMessage): FunctionError | undefined => {
  const reported = trailers["lambda-runtime-function-error-body"];
  return reported === undefined ? undefined : functionError(Buffer.from(reported, "base64").toString());
};

/**
 * Answers before all has been sent: the client ends the connection when it has read that. Until then it is
 * read on, because a connection that ends with something unread takes the answer with it.
 */
const refuseMore = (request: IncomingMessage): void => {
  request.socket.write("HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  request.removeAllListeners("data").resume();
};

/**
 * Reads a streamed response, and answers the runtime client. Nothing is read ahead of the reader, so that the
 * function feels a slow one. When the reader leaves, the client is answered at once and its connection ends,
 * as AWS's emulator does (github.com/aws/aws-lambda-runtime-interface-emulator, directinvoke.go).
 *
 * @throws FunctionError when the function fails before its first byte
 */
export const readStreamed = (request: IncomingMessage, reply: ServerResponse): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    let prelude: Buffer | null = Buffer.alloc(0);
    let failure: Error | undefined;
    let isAccepted = false;
    const accept = () => {
      if (isAccepted) return;
      isAccepted = true;
      if (request.complete) reply.writeHead(202).end();
      else if (request.socket.writable) refuseMore(request);
    };
    const body = new Readable({
      highWaterMark: 0,
      read: () => (failure ? body.destroy(failure) : request.resume()),
      destroy: (error, done) => {
        accept();
        done(error);
      },
    });
    /** What has arrived is read first. */
    const fail = (error: Error): void => {
      failure = error;
      if (prelude) reject(error);
      else if (body.readableLength === 0) body.destroy(error);
    };
    const push = (chunk: Buffer): void => {
      request.pause();
      body.push(chunk);
    };

    request.on("data", (chunk: Buffer) => {
      if (!prelude) return push(chunk);
      prelude = Buffer.concat([prelude, chunk]);
      const end = prelude.indexOf(preludeDelimiter);
      if (end < 0) return;
      const { statusCode, headers } = JSON.parse(prelude.subarray(0, end).toString());
      const rest = prelude.subarray(end + preludeDelimiter.length);
      prelude = null;
      resolve({ statusCode, headers, body });
      if (rest.length > 0) push(rest);
    });
    request.on("end", () => {
      accept();
      const error = errorInTrailers(request);
      if (error) fail(error);
      else if (prelude) fail(new FunctionError("Runtime.NoPrelude", "The response has no prelude"));
      else body.push(null);
    });
    request.on("error", fail); // the function's process has ended, or it has destroyed its stream
  });
