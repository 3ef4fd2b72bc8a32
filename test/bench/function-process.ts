/**
 * A process of its own for a function, as Lambda gives it one: loads the bundle that its argument names, and
 * invokes the handler with the events that its parent sends, one at a time. What it answers is counted here and
 * goes nowhere, so that the process does the function's work and little else.
 */
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";

/** Milliseconds from the event to the first and to the last byte of the response, and its bytes. */
export type Invocation = { status: number; first: number; last: number; bytes: number; body?: string };

export type Order = { events: APIGatewayProxyEvent[]; milliseconds?: number; keepBodies?: boolean };

/** What an order came to. The processor's time and the peak of memory are those of the whole process. */
export type Report = { invocations: Invocation[]; cpuMilliseconds: number; peakMebibytes: number };

type Result = Pick<APIGatewayProxyResult, "statusCode" | "body">;
type Handler = (event: APIGatewayProxyEvent, ...rest: object[]) => Promise<Result | undefined>;

const context = { functionName: "bench", getRemainingTimeInMillis: () => 30_000 };

/** The status of the response that is being streamed. */
let streamedStatus = Number.NaN;
const streaming = new Set<Handler>();
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler): Handler => {
      streaming.add(handler);
      return handler;
    },
    HttpResponseStream: {
      from: (stream: Writable, { statusCode }: Result): Writable => {
        streamedStatus = statusCode;
        return stream;
      },
    },
  },
});

const [bundle = ""] = process.argv.slice(2);
const { handler } = (await import(bundle)) as { handler: Handler };

const run = async (event: APIGatewayProxyEvent, keepBody: boolean): Promise<Invocation> => {
  const start = performance.now();
  const kept: Buffer[] = [];
  let first = Number.NaN;
  let bytes = 0;
  const receive = (chunk: Buffer): void => {
    if (bytes === 0) first = performance.now() - start;
    bytes += chunk.length;
    if (keepBody) kept.push(chunk);
  };
  const answer = (status: number, body: () => string): Invocation => {
    const invocation = { status, first, last: performance.now() - start, bytes };
    return keepBody ? { ...invocation, body: body() } : invocation;
  };

  if (streaming.has(handler)) {
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        if (chunk.length > 0) receive(chunk);
        done();
      },
    });
    await Promise.all([handler(event, stream, context), finished(stream)]);
    return answer(streamedStatus, () => Buffer.concat(kept).toString());
  }
  const result = (await handler(event, context)) as Result;
  // Lambda's runtime client makes one JSON document of what a handler answers.
  receive(Buffer.from(JSON.stringify(result)));
  return answer(result.statusCode, () => result.body);
};

/** All events once; or from the first one again and again, for a time. */
const obey = async ({ events, milliseconds, keepBodies = false }: Order): Promise<Report> => {
  const invocations: Invocation[] = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const isOver = () =>
    milliseconds === undefined
      ? invocations.length === events.length
      : performance.now() - start >= milliseconds;
  while (!isOver()) {
    const event = events[invocations.length % events.length] as APIGatewayProxyEvent;
    invocations.push(await run(event, keepBodies));
  }
  const { user, system } = process.cpuUsage(cpu);
  const peakMebibytes = process.resourceUsage().maxRSS / 1024;
  return { invocations, cpuMilliseconds: (user + system) / 1000, peakMebibytes };
};

process.on("message", async (order: Order) => process.send?.(await obey(order)));
process.send?.("ready");
