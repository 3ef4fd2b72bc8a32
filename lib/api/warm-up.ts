/** Each function's module exports `handler` and `warmUp`; `warmUp` runs in Lambda's init phase. */
import { Readable, Writable } from "node:stream";
import type { GetCommand } from "@aws-sdk/lib-dynamodb";
import { scopes } from "../api-keys/scopes.ts";
import { apiKeyKey } from "../table/keys.ts";
import { openTable, type Table } from "../table/table.ts";
import type { ApiHandler } from "./delivery.ts";
import type { Operation } from "./operations.ts";

export const sampleId = "00000000-0000-4000-8000-000000000000";

type SampleItem = { sk: { S: string } } & Record<string, object>;

type Sample = {
  body?: object;
  /** The items that a sample request finds in the table. Leave out `pk`. */
  items?: readonly SampleItem[];
  /** How many sample requests to make: enough for eight or nine AWS SDK calls, after which V8 compiles their code. */
  requests: number;
};

const sampleApiKey: SampleItem = {
  sk: { S: apiKeyKey("").sk },
  account_id: { S: sampleId },
  scopes: { L: [{ S: scopes.everything }] },
};

const sampleEvent = ({ method, pathParameters }: Operation, { body }: Sample) => ({
  httpMethod: method,
  headers: { Authorization: "Bearer none", "Content-Type": "application/json", "Idempotency-Key": "none" },
  pathParameters: Object.fromEntries(Object.keys(pathParameters).map((name) => [name, sampleId])),
  body: JSON.stringify(body),
});

type Key = Record<string, unknown>;
type Read = { Key?: Key | undefined; RequestItems?: Record<string, { Keys: Key[] }> };

/** The AWS SDK serializes and signs the command as usual; only the HTTP request is replaced by a made-up response. */
const sendNowhere = ({ middlewareStack, input }: GetCommand, { items = [] }: Sample): void => {
  const found = ({ pk, sk }: Key) =>
    [sampleApiKey, ...items].flatMap((item) => (item.sk.S === sk ? { ...item, pk: { S: pk } } : []));
  const { Key = {}, RequestItems = {} }: Read = input;
  const ofBatch = Object.entries(RequestItems).map(([table, { Keys }]) => [table, Keys.flatMap(found)]);
  const Responses = Object.fromEntries(ofBatch);
  const body = JSON.stringify({ Item: found(Key)[0], Items: items, Responses });
  const response = { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(body)]) };
  middlewareStack.add(() => async () => ({ response }), { step: "deserialize", priority: "low" });
};

/** Sample requests must not appear in the log or in the metrics. */
const withoutOutput = async (run: () => Promise<unknown>): Promise<void> => {
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  for (const { stream } of streams) stream.write = () => true;
  await run().catch(() => {});
  for (const { stream, write } of streams) stream.write = write;
};

/**
 * The warm-up's first request looks up an API key that doesn't exist, which opens the connections to DynamoDB. Then the
 * warm-up makes sample requests, without DynamoDB, so that V8 compiles the code before a caller needs it.
 */
export const lambdaFunction = (operation: Operation, createHandler: (table: Table) => ApiHandler, sample: Sample) => {
  const table = openTable();
  const warmUp = ({ name, client }: Table = table): Promise<void> =>
    withoutOutput(async () => {
      const abortSignal = AbortSignal.timeout(500);
      let isOnline = true;
      const send = (command: GetCommand) => {
        if (!isOnline) sendNowhere(command, sample);
        return client.send(command, { abortSignal });
      };
      const handler = createHandler({ name, client: { send: send as typeof client.send } });
      const run = () => {
        // `highWaterMark: 0` makes every write wait, so that V8 also compiles the code for callers who read slowly.
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
