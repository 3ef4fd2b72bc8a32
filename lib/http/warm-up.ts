/** Each function's module exports `handler` and `warmUp`; `warmUp` runs in Lambda's init phase. */
import { Writable } from "node:stream";
import { openTable, type Table } from "../table/table.ts";
import type { ApiHandler } from "./delivery.ts";
import type { Operation } from "./operations.ts";

/** Each makes V8 compile more of what the first caller needs. Eight gain no more, and take 20 ms of processor time. */
const requests = 4;

const sampleId = "00000000-0000-4000-8000-000000000000";

/** Warm-up requests must not appear in the log or in the metrics. */
const withoutOutput = async (run: () => Promise<unknown>): Promise<void> => {
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  for (const { stream } of streams) stream.write = () => true;
  await run().catch(() => {});
  for (const { stream, write } of streams) stream.write = write;
};

/**
 * The warm-up makes a few requests, which also open the connection to DynamoDB. Their API key doesn't exist, so each
 * ends with 401, after all reads and before any write.
 *
 * @param sampleBody a valid body, if the operation has one; without it, no request would get as far as the reads
 */
export const lambdaFunction = (
  { method, pathParameters, streams }: Operation,
  createHandler: (table: Table) => ApiHandler,
  sampleBody?: object,
) => {
  const table = openTable();
  const warmUp = ({ name, client }: Table = table): Promise<void> =>
    withoutOutput(async () => {
      const abortSignal = AbortSignal.timeout(500);
      const send = (command: Parameters<typeof client.send>[0]) => client.send(command, { abortSignal });
      const handler = createHandler({ name, client: { send: send as typeof client.send } });
      const run = () => {
        const event = {
          httpMethod: method,
          headers: { Authorization: "Bearer none", "Content-Type": "application/json", "Idempotency-Key": "none" },
          pathParameters: Object.fromEntries(Object.keys(pathParameters).map((parameter) => [parameter, sampleId])),
          body: JSON.stringify(sampleBody),
        };
        const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
        const stream = Object.assign(nowhere, { setContentType: () => {} });
        const context = { awsRequestId: "none", getRemainingTimeInMillis: () => 60_000 };
        return Reflect.apply(handler, undefined, streams ? [event, stream, context] : [event, context]);
      };
      for (let n = 0; n < requests && !abortSignal.aborted; n++) await run();
    });
  return { handler: createHandler(table), warmUp };
};
