/**
 * A process of its own for a function, as Lambda gives it one: loads the bundle that its argument names, and
 * invokes the handler with the events that its parent sends, one at a time.
 */
import type { APIGatewayProxyEvent } from "aws-lambda";
import { invoke, type LambdaHandler } from "../../infra/local/lambda.ts";

/** Milliseconds from the event to the first and to the last byte of the response, and its bytes. */
export type Invocation = { status: number; first: number; last: number; bytes: number; body?: string };

export type Order = { events: APIGatewayProxyEvent[]; milliseconds?: number; keepBodies?: boolean };

/** What an order came to. The processor's time and the peak of memory are those of the whole process. */
export type Report = {
  /** From the process's first instruction of ours to the handler, in milliseconds. */
  load: number;
  invocations: Invocation[];
  cpuMilliseconds: number;
  peakMebibytes: number;
};

const [bundle = ""] = process.argv.slice(2);
const loading = performance.now();
const { handler } = (await import(bundle)) as { handler: LambdaHandler };
const load = performance.now() - loading;

const run = async (event: APIGatewayProxyEvent, keepBody: boolean): Promise<Invocation> => {
  const start = performance.now();
  const { statusCode: status, headers, body } = await invoke(handler, event);
  const kept: Buffer[] = [];
  let first = Number.NaN;
  let bytes = 0;
  // What is buffered leaves as one JSON document: Lambda's runtime makes it of what the handler answers.
  const chunks =
    typeof body === "string" ? [Buffer.from(JSON.stringify({ statusCode: status, headers, body }))] : body;
  for await (const chunk of chunks) {
    if (bytes === 0) first = performance.now() - start;
    bytes += chunk.length;
    if (keepBody) kept.push(chunk);
  }
  const invocation = { status, first, last: performance.now() - start, bytes };
  if (!keepBody) return invocation;
  return { ...invocation, body: typeof body === "string" ? body : Buffer.concat(kept).toString() };
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
  return { load, invocations, cpuMilliseconds: (user + system) / 1000, peakMebibytes };
};

process.on("message", async (order: Order) => process.send?.(await obey(order)));
process.send?.("ready");
