/** An operation's exports for Lambda: the handler, and the warm-up that `index.mjs` awaits in the init phase. */
import { Writable } from "node:stream";
import { openTable, type Table } from "../table/table.ts";
import type { ApiHandler } from "./handler.ts";
import type { Operation } from "./operations.ts";

/** The timeout of the warm-up's DynamoDB calls. */
const timeoutMs = 500;

const id = "00000000-0000-4000-8000-000000000000";

/** A request with an unknown API key, so that the handler responds with a 401 and writes nothing. */
const sampleEvent = ({ method, pathParameters }: Operation, body: object | undefined) => ({
  httpMethod: method,
  headers: { Authorization: "Bearer none", "Content-Type": "application/json", "Idempotency-Key": "none" },
  pathParameters: Object.fromEntries(Object.keys(pathParameters).map((name) => [name, id])),
  body: JSON.stringify(body),
});

const sampleContext = { awsRequestId: "none", getRemainingTimeInMillis: () => timeoutMs };

/** Runs a function, and discards its log lines and metrics. */
const withoutOutput = async (run: () => Promise<unknown>): Promise<void> => {
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  for (const { stream } of streams) stream.write = () => true;
  await run().catch(() => {});
  for (const { stream, write } of streams) stream.write = write;
};

/**
 * Creates an operation's handler and warm-up. The handler and the warm-up share connections to DynamoDB.
 *
 * The warm-up runs a sample request, which opens the connections and compiles the code before the first real request.
 * During the init phase, Lambda gives a function more processor time than later (measured in
 * https://github.com/DataDog/datadog-lambda-extension/pull/700, not documented by AWS).
 *
 * @param sampleBody a valid body, for an operation with a body
 */
export const lambdaFunction = <Handler extends ApiHandler<boolean>>(
  operation: Operation,
  createHandler: (table: Table) => Handler,
  sampleBody?: object,
) => {
  const table = openTable();
  const warmUp = ({ name, client }: Table = table): Promise<void> =>
    withoutOutput(async () => {
      const abortSignal = AbortSignal.timeout(timeoutMs);
      const send = (command: never) => client.send(command, { abortSignal });
      const handler = createHandler({ name, client: { send: send as typeof client.send } });
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
      const stream = Object.assign(nowhere, { setContentType: () => {} });
      const rest = operation.streams ? [stream, sampleContext] : [sampleContext];
      await Reflect.apply(handler, undefined, [sampleEvent(operation, sampleBody), ...rest]);
    });
  return { handler: createHandler(table), warmUp };
};
