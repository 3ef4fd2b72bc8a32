/**
 * The process of one function. Loads the bundle that its argument names, then invokes the handler with the events from
 * its parent, one at a time. It counts and discards the responses, so that it does little besides the function's work.
 */
import { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, SQSBatchResponse, SQSEvent } from "aws-lambda";

export type Event = APIGatewayProxyEvent | SQSEvent;

/** Milliseconds from the event to the first and to the last byte of the response, and the number of bytes. */
export type Invocation = { status: number; first: number; last: number; bytes: number; body?: string };

export type Order = { events: Event[]; keepBodies?: boolean };

/** The result of an order. Processor time and peak memory belong to the whole process. */
export type Report = { invocations: Invocation[]; cpuMilliseconds: number; peakMebibytes: number };

type Result = Partial<APIGatewayProxyResult & SQSBatchResponse>;
type Handler = (event: Event, ...rest: object[]) => Promise<Result | undefined>;

const context = { functionName: "bench", getRemainingTimeInMillis: () => 120_000 };

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
      from: (stream: Writable, { statusCode }: APIGatewayProxyResult): Writable => {
        streamedStatus = statusCode;
        return stream;
      },
    },
  },
});

const [bundle = ""] = process.argv.slice(2);
const { handler } = (await import(bundle)) as { handler: Handler };

const run = async (event: Event, keepBody: boolean): Promise<Invocation> => {
  const start = performance.now();
  const kept: Buffer[] = [];
  let first = Number.NaN;
  let bytes = 0;
  const receive = (chunk: Buffer): void => {
    if (bytes === 0) first = performance.now() - start;
    bytes += chunk.length;
    if (keepBody) kept.push(chunk);
  };
  let status: number;
  let body = () => Buffer.concat(kept).toString();
  if (streaming.has(handler)) {
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        if (chunk.length > 0) receive(chunk);
        done();
      },
    });
    await Promise.all([handler(event, stream, context), finished(stream)]);
    status = streamedStatus;
  } else {
    const { batchItemFailures = [], statusCode, body: text = "" } = (await handler(event, context)) ?? {};
    // Lambda's runtime client serialises the result as one JSON document.
    receive(Buffer.from(JSON.stringify({ statusCode, body: text })));
    status = statusCode ?? (batchItemFailures.length > 0 ? 500 : 200);
    body = () => text;
  }
  return { status, first, last: performance.now() - start, bytes, ...(keepBody && { body: body() }) };
};

const obey = async ({ events, keepBodies = false }: Order): Promise<Report> => {
  const invocations: Invocation[] = [];
  const cpu = process.cpuUsage();
  for (const event of events) invocations.push(await run(event, keepBodies));
  const { user, system } = process.cpuUsage(cpu);
  const peakMebibytes = process.resourceUsage().maxRSS / 1024;
  return { invocations, cpuMilliseconds: (user + system) / 1000, peakMebibytes };
};

process.on("message", async (order: Order) => process.send?.(await obey(order)));
process.send?.("ready");
