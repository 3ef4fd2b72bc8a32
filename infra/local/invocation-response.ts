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

/** The prelude is JSON with status and headers; eight NUL bytes end it. */
const delimiter = Buffer.alloc(8);

/** What the runtime client reports of an error, in trailers (as base64) or as a body. */
type Reported = { errorType: string; errorMessage: string };

export const functionError = (json: string): FunctionError => {
  const { errorType, errorMessage } = JSON.parse(json) as Reported;
  return new FunctionError(errorType, errorMessage);
};

const errorInTrailers = ({ trailers }: IncomingMessage): FunctionError | undefined => {
  const reported = trailers["lambda-runtime-function-error-body"];
  return reported === undefined ? undefined : functionError(Buffer.from(reported, "base64").toString());
};

/**
 * Reads a streamed response, and answers the runtime client. Nothing is read ahead of the reader, so that the
 * function feels a slow one. When the reader leaves, the client is answered at once and its connection ends:
 * what Lambda does (https://github.com/aws/aws-lambda-runtime-interface-emulator, directinvoke.go).
 *
 * @throws FunctionError when the function fails before its first byte
 */
export const readStreamed = async (
  request: IncomingMessage,
  reply: ServerResponse,
): Promise<HttpResponse> => {
  const chunks: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  const accept = () => reply.writeHead(202, request.complete ? {} : { Connection: "close" }).end();

  const readPrelude = async (): Promise<[prelude: string, rest: Buffer]> => {
    let received = Buffer.alloc(0);
    for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) {
      received = Buffer.concat([received, chunk.value]);
      const end = received.indexOf(delimiter);
      if (end >= 0) return [received.subarray(0, end).toString(), received.subarray(end + delimiter.length)];
    }
    accept();
    throw errorInTrailers(request) ?? new FunctionError("Runtime.NoPrelude", "The response has no prelude");
  };

  async function* readBody(first: Buffer) {
    try {
      if (first.length > 0) yield first;
      for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) yield chunk.value;
    } finally {
      accept();
    }
    const error = errorInTrailers(request);
    if (error) throw error;
  }

  const [prelude, rest] = await readPrelude();
  const { statusCode, headers } = JSON.parse(prelude);
  return { statusCode, headers, body: Readable.from(readBody(rest), { objectMode: false }) };
};
