/**
 * Calls the Lambda handlers as Lambda would, buffered or streaming. Import this file first: a function's module uses
 * the global `awslambda` as soon as it is loaded. `npm run test:lambda` runs the functions under AWS's own client.
 */
import { randomUUID } from "node:crypto";
import { PassThrough, type Readable } from "node:stream";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { BufferedHandler, StreamingHandler } from "../../lib/http/delivery.ts";

export type LambdaHandler<Event = APIGatewayProxyEvent> = StreamingHandler<Event> | BufferedHandler<Event>;

export type HttpResponse = {
  statusCode: number;
  headers: Record<string, string>;
  /** If the function fails while it sends the body, a reader of the body gets the function's error. */
  body: Readable | string;
};

/** What Lambda reports for a failed invocation as `errorType` and `errorMessage`. */
export class FunctionError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

const failure = (error: unknown): FunctionError =>
  error instanceof Error
    ? new FunctionError(error.name, error.message)
    : new FunctionError(typeof error, String(error));

const streaming = Symbol.for("aws.lambda.runtime.handler.streaming");

const isStreaming = <Event>(handler: LambdaHandler<Event>): handler is StreamingHandler<Event> => streaming in handler;

/** `awslambda.streamifyResponse` with a precise type. */
export const streamifyResponse = <Event>(handler: StreamingHandler<Event>) =>
  Object.assign(handler, { [streaming]: "response" });

/** A response begins with the first write, even an empty one. */
class ResponseStream extends PassThrough {
  prelude = { statusCode: 200, headers: {} };
  readonly #begun: (response: HttpResponse) => void;

  constructor(begun: (response: HttpResponse) => void) {
    super();
    this.#begun = begun;
  }

  setContentType(): void {}

  override write(...parameters: [chunk: unknown]): boolean {
    this.#begun({ ...this.prelude, body: this });
    return super.write(...parameters);
  }
}

const HttpResponseStream = {
  from: (stream: ResponseStream, prelude: ResponseStream["prelude"]) => Object.assign(stream, { prelude }),
};

Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream } });

const maximumTimeout = 15 * 60 * 1000;

const newContext = (functionName: string, deadline: number): Context => ({
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
});

/**
 * Invokes a handler like Lambda. Unlike on AWS, a timeout does not stop the handler's code, because all functions share
 * one process.
 *
 * @throws FunctionError if the handler fails before its first byte. A later failure destroys the response's body.
 */
export const invoke = async <Event>(
  handler: LambdaHandler<Event>,
  event: Event,
  { functionName = "local", timeoutMilliseconds = maximumTimeout } = {},
): Promise<HttpResponse> => {
  const context = newContext(functionName, Date.now() + timeoutMilliseconds);
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const stream = new ResponseStream(resolve);
  const fail = (error: FunctionError): void => {
    reject(error);
    stream.destroy(error);
  };
  stream.on("error", () => {}); // Until somebody reads the body, nobody else listens.
  const timer = setTimeout(() => {
    fail(
      new FunctionError("Sandbox.Timedout", `Task timed out after ${(timeoutMilliseconds / 1000).toFixed(2)} seconds`),
    );
  }, timeoutMilliseconds).unref();
  const run = async (): Promise<void> => {
    if (!isStreaming(handler)) return resolve(JSON.parse(JSON.stringify(await handler(event, context))));
    await handler(event, stream as unknown as awslambda.HttpResponseStream, context);
    reject(new FunctionError("Runtime.NoPrelude", "The response has no prelude"));
    if (!stream.writableEnded) throw new Error("Response stream is not finished.");
  };
  void run()
    .catch((error) => fail(failure(error)))
    .finally(() => clearTimeout(timer));
  return promise;
};
