/**
 * Moves the work of a first request into Lambda's init phase. There, an on-demand function has more processor than its
 * memory buys (https://github.com/DataDog/datadog-lambda-extension/pull/700 has measurements; AWS does not promise it).
 */
import { once } from "node:events";
import { Readable } from "node:stream";
import { getItem } from "./get.ts";
import type { ItemKey } from "./keys.ts";
import { openTable, type Table } from "./table.ts";

/** The longest time that the init phase waits for the table. */
const timeoutMs = 500;

/** The first sample request compiles the code. The second one lets V8 optimise the most frequent calls. */
const sampleRequests = 2;

/** Returns DynamoDB's response to a call, in DynamoDB's own JSON. */
export type SampleResponse = (operation: string, body: string) => object;

/** Returns a table that sends nothing. The SDK signs each call, then reads the sample response. */
const sampleTable = ({ name }: Table, respond: SampleResponse): Table => {
  const handle = async ({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) => {
    const [, operation = ""] = (headers["x-amz-target"] ?? "").split(".");
    const json = Buffer.from(JSON.stringify(respond(operation, Buffer.concat([body]).toString())));
    return { response: { statusCode: 200, headers: {}, body: Readable.from([json]) } };
  };
  return openTable({ name, requestHandler: { handle } });
};

/** Runs a function while the process's output is collected. Returns the output, which is written nowhere. */
const collectOutput = async (run: () => Promise<unknown>): Promise<string> => {
  let output = "";
  const collect = (chunk: string | Uint8Array): boolean => {
    output += chunk;
    return true;
  };
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  for (const { stream } of streams) stream.write = collect;
  await run().catch(() => {});
  for (const { stream, write } of streams) stream.write = write;
  return output;
};

type Steps = {
  /** The key of an item that never exists, which the function may read. */
  absent: ItemKey;
  /** How many calls a request sends at the same time. Each needs a connection. */
  connections: number;
  respond: SampleResponse;
  /** Creates a handler on the sample table. Returns a function that runs one request. */
  request: (table: Table) => () => Promise<unknown>;
};

/**
 * Opens the connections with one read each, and runs sample requests meanwhile. A step that fails is left to the first
 * request. Never throws. Waits for the table no longer than 500 ms.
 *
 * @returns the log of the sample requests
 */
export const warmUp = async (
  table: Table,
  { absent, connections, respond, request }: Steps,
): Promise<string> => {
  const abortSignal = AbortSignal.timeout(timeoutMs);
  const reads = Array.from({ length: connections }, () => getItem(table, absent, { abortSignal }));
  const connected = Promise.race([Promise.allSettled(reads), once(abortSignal, "abort")]);
  const log = await collectOutput(async () => {
    const run = request(sampleTable(table, respond));
    for (let count = 0; count < sampleRequests; count++) await run();
  });
  await connected;
  return log;
};
