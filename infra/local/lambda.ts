/**
 * The Lambda runtime as the functions know it: the `awslambda` global, and the two ways of invoking a
 * handler. Import this before a function is.
 */
import { randomUUID } from "node:crypto";
import { PassThrough, type Readable, Writable } from "node:stream";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";

type StreamingHandler = (event: unknown, stream: Writable, context: Context) => Promise<void>;
type BufferedHandler = (event: unknown, context: Context) => Promise<APIGatewayProxyResult>;
export type LambdaHandler = StreamingHandler | BufferedHandler;

const streaming = Symbol.for("aws.lambda.runtime.handler.streaming");

/** The prelude of a streamed HTTP response: JSON with status and headers, then eight NUL bytes. */
const delimiter = Buffer.alloc(8);

const awslambda = {
  streamifyResponse: (handler: StreamingHandler) => Object.assign(handler, { [streaming]: "response" }),
  HttpResponseStream: {
    from: (stream: Writable, prelude: object): Writable => {
      stream.write(JSON.stringify(prelude));
      stream.write(delimiter);
      return stream;
    },
  },
};
Object.assign(globalThis, { awslambda });

export type HttpResponse = {
  statusCode: number;
  headers: Record<string, string>;
  /** Fails when the function does after it has begun to answer. */
  body: Readable | string;
};

const newContext = (functionName: string, timeoutMilliseconds: number): Context => {
  const deadline = Date.now() + timeoutMilliseconds;
  return {
    functionName,
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => deadline - Date.now(),
    callbackWaitsForEmptyEventLoop: true,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: "1024",
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: "local",
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
};

const invokeStreaming = (
  handler: StreamingHandler,
  event: unknown,
  context: Context,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    let prelude: Buffer | null = Buffer.alloc(0);
    const body = new PassThrough();
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        if (!prelude) return body.write(chunk) ? done() : void body.once("drain", done);
        prelude = Buffer.concat([prelude, chunk]);
        const end = prelude.indexOf(delimiter);
        if (end < 0) return done();
        const { statusCode, headers } = JSON.parse(prelude.subarray(0, end).toString());
        const rest = prelude.subarray(end + delimiter.length);
        prelude = null;
        resolve({ statusCode, headers, body });
        if (rest.length > 0) body.write(rest);
        done();
      },
      final: (done) => {
        body.end();
        done();
      },
      destroy: (error, done) => {
        if (!body.writableEnded) body.destroy(error ?? new Error("The function stopped answering"));
        done(error);
      },
    });
    body.once("close", () => stream.destroy()); // a caller who has left
    handler(event, stream, context).catch((error) => {
      body.destroy(error);
      reject(error);
    });
  });

/** Invokes a handler as Lambda does, streaming or not. @throws what the handler throws before it answers. */
export const invoke = async (
  handler: LambdaHandler,
  event: APIGatewayProxyEvent,
  { functionName = "local", timeoutMilliseconds = 30_000 } = {},
): Promise<HttpResponse> => {
  const context = newContext(functionName, timeoutMilliseconds);
  if (streaming in handler) return invokeStreaming(handler as StreamingHandler, event, context);
  const { statusCode, headers = {}, body } = await (handler as BufferedHandler)(event, context);
  return { statusCode, headers: headers as Record<string, string>, body };
};
