/**
 * Calls the Lambda handlers as Lambda would, buffered or streaming. Import this file first: a function's module uses
 * the global `awslambda` as soon as it is loaded.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { BufferedHandler, StreamingHandler } from "../../lib/api/delivery.ts";
import { HttpResponseStream, openResponseStream } from "./awslambda.ts";
import { FunctionError, type HttpResponse, readStreamed } from "./runtime-upload.ts";

export type LambdaHandler<Event = APIGatewayProxyEvent> = StreamingHandler<Event> | BufferedHandler<Event>;

const streaming = Symbol.for("aws.lambda.runtime.handler.streaming");

const isStreaming = <Event>(handler: LambdaHandler<Event>): handler is StreamingHandler<Event> => streaming in handler;

/** `awslambda.streamifyResponse` with a precise type. */
export const streamifyResponse = <Event>(handler: StreamingHandler<Event>) =>
  Object.assign(handler, { [streaming]: "response" });

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

/** Each request's promise resolves with the status and headers, before the body. */
const waiting = new Map<string, PromiseWithResolvers<HttpResponse>>();

/** The server has no timeouts, because a function may send its first byte long after it opens the stream. */
const lambda = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, reply) => {
  const { resolve, reject } = waiting.get(request.url?.slice(1) ?? "") ?? Promise.withResolvers();
  readStreamed(request, reply).then(resolve, reject);
});
lambda.on("connection", (socket) => socket.unref());
await new Promise<void>((resolve) => lambda.listen(0, "127.0.0.1", resolve).unref());
const { port } = lambda.address() as AddressInfo;

const report = (error: unknown) =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message }
    : { errorType: typeof error, errorMessage: String(error) };

const runStreaming = async <Event>(handler: StreamingHandler<Event>, event: Event, context: Context) => {
  const { stream, accepted, fail } = openResponseStream(port, `/${context.awsRequestId}`);
  try {
    await handler(event, stream, context);
    await accepted;
    if (!stream.writableFinished) throw new Error("Response stream is not finished.");
  } catch (error) {
    await setImmediate();
    fail(report(error));
  }
};

const invokeStreaming = <Event>(
  handler: StreamingHandler<Event>,
  event: Event,
  context: Context,
): Promise<HttpResponse> => {
  const response = Promise.withResolvers<HttpResponse>();
  waiting.set(context.awsRequestId, response);
  void runStreaming(handler, event, context);
  return response.promise.finally(() => waiting.delete(context.awsRequestId));
};

const invokeBuffered = async <Event>(
  handler: BufferedHandler<Event>,
  event: Event,
  context: Context,
): Promise<HttpResponse> => {
  try {
    return JSON.parse(JSON.stringify(await handler(event, context)));
  } catch (error) {
    const { errorType, errorMessage } = report(error);
    throw new FunctionError(errorType, errorMessage);
  }
};

/** A timeout rejects the promise if the response hasn't begun, and otherwise destroys the response's body. */
const within = (milliseconds: number, response: Promise<HttpResponse>): Promise<HttpResponse> => {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const seconds = (milliseconds / 1000).toFixed(2);
    reject(new FunctionError("Sandbox.Timedout", `Task timed out after ${seconds} seconds`));
  }, milliseconds).unref();
  const stopTimer = () => clearTimeout(timer);
  const begun = Promise.race([response, timeout]);
  begun.then(({ body }) => {
    if (typeof body === "string") return stopTimer();
    timeout.catch((error) => body.destroy(error));
    body.once("close", stopTimer);
  }, stopTimer);
  return begun;
};

/**
 * Invokes a handler like Lambda. Unlike on AWS, a timeout does not stop the handler's code, because all functions share
 * one process.
 *
 * @throws FunctionError if the handler fails before its first byte. A later failure destroys the response's body.
 */
export const invoke = <Event>(
  handler: LambdaHandler<Event>,
  event: Event,
  { functionName = "local", timeoutMilliseconds = maximumTimeout } = {},
): Promise<HttpResponse> => {
  const context = newContext(functionName, Date.now() + timeoutMilliseconds);
  const response = isStreaming(handler)
    ? invokeStreaming(handler, event, context)
    : invokeBuffered(handler, event, context);
  return within(timeoutMilliseconds, response);
};
