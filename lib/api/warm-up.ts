/** The functions that an operation exports: Lambda's `handler`, and `warmUp`, which runs in Lambda's init phase. */
import { Readable, Writable } from "node:stream";
import type { GetCommand } from "@aws-sdk/lib-dynamodb";
import { scopes } from "../api-keys/scopes.ts";
import { itemTypes } from "../table/keys.ts";
import { openTable, type Table } from "../table/table.ts";
import type { ApiHandler } from "./delivery.ts";
import type { Operation } from "./operations.ts";

/** The timeout of `warmUp`. */
const timeoutMs = 500;

const id = "00000000-0000-4000-8000-000000000000";

/**
 * The data of sample requests. `body` is a valid request body. `items` are the items that a Query returns. `requests` is
 * the number of successful requests. Together, they should make eight or nine DynamoDB calls. After so many calls, V8
 * has compiled the SDK's code to machine code.
 */
type Sample = { body?: object; items?: object[]; requests: number };

/** A valid API key for sample requests, in the JSON format of DynamoDB. */
const sampleApiKey = { account_id: { S: id }, scopes: { L: [{ S: scopes.everything }] } };

const sampleEvent = ({ method, pathParameters }: Operation, { body }: Sample) => ({
  httpMethod: method,
  headers: { Authorization: "Bearer none", "Content-Type": "application/json", "Idempotency-Key": "none" },
  pathParameters: Object.fromEntries(Object.keys(pathParameters).map((name) => [name, id])),
  body: JSON.stringify(body),
});

/**
 * Makes a DynamoDB command return a sample response. The SDK still serialises and signs the call, but does not send the
 * call. A GetItem of an API key returns `sampleApiKey`. A Query returns `items`. All other reads find no item.
 */
const sendNowhere = ({ middlewareStack, input }: GetCommand, { items = [] }: Sample): void => {
  const isApiKey = String(input.Key?.pk).startsWith(itemTypes.apiKey);
  const body = JSON.stringify(isApiKey ? { Item: sampleApiKey } : { Items: items, Responses: {} });
  const response = { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(body)]) };
  middlewareStack.add(() => async () => ({ response }), { step: "deserialize", priority: "low" });
};

/** Runs a function, and discards its log lines and metrics. */
const withoutOutput = async (run: () => Promise<unknown>): Promise<void> => {
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  for (const { stream } of streams) stream.write = () => true;
  await run().catch(() => {});
  for (const { stream, write } of streams) stream.write = write;
};

/**
 * Returns `handler` and `warmUp` of an operation. Both functions share connections to DynamoDB.
 *
 * `warmUp` first runs a request with an unknown API key, which opens the connections. Then `warmUp` runs successful
 * requests without DynamoDB, so that V8 compiles the code before the first real request. During the init phase, Lambda
 * gives a function more processor time than later (measured in
 * https://github.com/DataDog/datadog-lambda-extension/pull/700, not documented by AWS).
 */
export const lambdaFunction = (
  operation: Operation,
  createHandler: (table: Table) => ApiHandler,
  sample: Sample,
) => {
  const table = openTable();
  const warmUp = ({ name, client }: Table = table): Promise<void> =>
    withoutOutput(async () => {
      const abortSignal = AbortSignal.timeout(timeoutMs);
      let isOnline = true;
      const send = (command: GetCommand) => {
        if (!isOnline) sendNowhere(command, sample);
        return client.send(command, { abortSignal });
      };
      const handler = createHandler({ name, client: { send: send as typeof client.send } });
      const run = () => {
        // `highWaterMark: 0` makes each write wait for `drain`, so that V8 also compiles the code that waits.
        const nowhere = new Writable({ highWaterMark: 0, write: (_chunk, _encoding, done) => done() });
        const stream = Object.assign(nowhere, { setContentType: () => {} });
        const context = { awsRequestId: "none", getRemainingTimeInMillis: () => 60_000 };
        const rest = operation.streams ? [stream, context] : [context];
        return Reflect.apply(handler, undefined, [sampleEvent(operation, sample), ...rest]);
      };
      await run();
      isOnline = false;
      for (let n = 0; n < sample.requests && !abortSignal.aborted; n++) await run();
    });
  return { handler: createHandler(table), warmUp };
};
