/** An operation's exports for Lambda: the handler, and the warm-up that `index.mjs` awaits in the init phase. */
import { Writable } from "node:stream";
import { apiKeyKey, itemTypes } from "../table/keys.ts";
import { openTable, type Table } from "../table/table.ts";
import { warmUp } from "../table/warm-up.ts";
import type { ApiHandler } from "./handler.ts";
import type { Operation } from "./operations.ts";

const id = "00000000-0000-4000-8000-000000000000";

const apiKey = { account_id: { S: id }, scopes: { L: [{ S: "*" }] } };

/** A request that the warm-up runs without a network. */
type Sample = {
  body?: object;
  /** The items that each Query finds, in DynamoDB's JSON. */
  items?: () => object[];
  /** How many calls the operation sends at the same time. */
  parallelCalls: number;
};

const sampleEvent = ({ method, path }: Operation, body: object | undefined) => ({
  httpMethod: method,
  headers: {
    Authorization: "Bearer sample",
    "Content-Type": "application/json",
    "Idempotency-Key": "sample",
  },
  pathParameters: Object.fromEntries(Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => [name, id])),
  body: body === undefined ? null : JSON.stringify(body),
});

/** A response stream that goes nowhere. */
const nowhere = () =>
  Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { setContentType: () => {} });

/**
 * @example
 * export const { handler, warmUp } = lambdaFunction(getMessage, createHandler, { parallelCalls: 2 });
 */
export const lambdaFunction = <Handler extends ApiHandler<boolean>>(
  operation: Operation,
  createHandler: (table: Table) => Handler,
  { body, items = () => [], parallelCalls }: Sample,
) => {
  const table = openTable();
  return {
    handler: createHandler(table),
    warmUp: (on = table) =>
      warmUp(on, {
        absent: apiKeyKey(""),
        connections: parallelCalls,
        respond: (call, json) => {
          if (call === "Query") return { Items: items() };
          return json.includes(itemTypes.apiKey) ? { Item: apiKey } : {};
        },
        request: (sampleTable) => {
          const handler = createHandler(sampleTable) as unknown as (...given: object[]) => Promise<unknown>;
          const streams = operation.streams ? () => [nowhere()] : () => [];
          const context = { awsRequestId: "sample", getRemainingTimeInMillis: () => 60_000 };
          return () => handler(sampleEvent(operation, body), ...streams(), context);
        },
      }),
  };
};
