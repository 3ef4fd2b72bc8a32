/**
 * Plays Lambda's part when a function streams its response: AWS's runtime client sends a POST request with the status
 * and headers as JSON, eight zero bytes, and then the body. If the function fails, the error follows in HTTP trailers.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { FunctionError, type HttpResponse } from "../../infra/local/lambda.ts";

const preludeDelimiter = Buffer.alloc(8);

export const functionError = (json: string): FunctionError => {
  const { errorType, errorMessage }: { errorType: string; errorMessage: string } = JSON.parse(json);
  return new FunctionError(errorType, errorMessage);
};

const errorInTrailers = ({ trailers }: IncomingMessage): FunctionError | undefined => {
  const reported = trailers["lambda-runtime-function-error-body"];
  return reported === undefined ? undefined : functionError(Buffer.from(reported, "base64").toString());
};

/**
 * Responds before the client has sent its whole request, and discards further data until the client closes the
 * connection. If the server closed the connection before it had read everything, the client might lose the response.
 */
const respondEarly = (request: IncomingMessage): void => {
  request.socket.write("HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  request.removeAllListeners("data").resume();
};

/**
 * The function can't send faster than somebody reads `body`. If the reader of `body` destroys it, we respond before the
 * upload has ended, as AWS's emulator does (aws-lambda-runtime-interface-emulator, directinvoke.go).
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
      else if (request.socket.writable) respondEarly(request);
    };
    const body = new Readable({
      highWaterMark: 0,
      read: () => (failure ? body.destroy(failure) : request.resume()),
      destroy: (error, done) => {
        accept();
        done(error);
      },
    });
    /** The reader of `body` first gets everything that was sent before the error. */
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
    request.on("error", fail); // The function has destroyed its stream.
  });
