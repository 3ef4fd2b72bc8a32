/** A proxy in front of the engine that injects faults of networks and of DynamoDB into single calls. */
import { createServer, request, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { openTable, type Table } from "../../lib/table/table.ts";
import { listen } from "./listen.ts";
import { newKey, startService } from "./service.ts";

/**
 * A fault of one call, in order: the connection closes before the call, or after it and before the response; no
 * response arrives; the response stops within its body; the response comes byte by byte; the response has this text;
 * DynamoDB returns an error.
 */
export type Fault =
  | "cut before"
  | "lost after"
  | "silent"
  | "stalls"
  | "drips"
  | { text: string }
  | { error: string; status?: number; fields?: object };

export type FaultyEngine = {
  url: string;
  table: Table;
  /** Sets the function that chooses the fault of each later call by its operation. */
  failWith: (fault: (operation: string) => Fault | undefined) => void;
  /** The received calls. `alongside` counts the other calls that were in progress. `items` has the transaction's keys. */
  calls: { operation: string; alongside: number; consistent: boolean; items: string[] }[];
};

type Key = { pk: { S: string }; sk: { S: string } };
type TransactWrite = { TransactItems?: { Put?: { Item: Key }; Update?: { Key: Key } }[] };

const itemsOf = ({ TransactItems = [] }: TransactWrite): string[] =>
  TransactItems.map(({ Put, Update }) => Put?.Item ?? Update?.Key).map((key) => `${key?.pk.S} ${key?.sk.S}`);

/** Rejects conflicting transactions as DynamoDB does. The local engines run them one after the other instead. */
const conflictsOfDynamoDb = () => {
  const held = new Set<string>();
  return (items: string[], response: ServerResponse): Fault | undefined => {
    const reasons = items.map((item) => ({ Code: held.has(item) ? "TransactionConflict" : "None" }));
    if (items.some((item) => held.has(item))) {
      return { error: "TransactionCanceledException", fields: { CancellationReasons: reasons } };
    }
    for (const item of items) held.add(item);
    response.once("close", () => {
      for (const item of items) held.delete(item);
    });
    return undefined;
  };
};

/** The delay of each response in milliseconds, so that concurrent calls overlap. */
const delay = 10;

/** Sends a byte now and then, so that no socket's timeout notices anything. */
export const drip = (response: ServerResponse, body: Buffer): void => {
  let sent = 0;
  const timer = setInterval(() => response.write(body.subarray(sent, ++sent)), 50);
  response.once("close", () => clearInterval(timer));
};

type EngineOptions = {
  /** How long a transaction locks its items, in milliseconds. */
  hold?: number;
  /** How long the SDK waits for a response, in milliseconds; by default as long as in a function. */
  timeoutMs?: number;
};

export const startFaultyEngine = async ({
  hold = delay,
  timeoutMs = 3000,
}: EngineOptions = {}): Promise<FaultyEngine> => {
  const engineUrl = inject("engine").AWS_ENDPOINT_URL_DYNAMODB ?? "";
  let faultOf: (operation: string) => Fault | undefined = () => undefined;
  const calls: FaultyEngine["calls"] = [];
  const conflictOf = conflictsOfDynamoDb();
  let underWay = 0;

  const server = createServer(async (incoming, response) => {
    const operation = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    const alongside = underWay++;
    response.once("close", () => underWay--);
    const body = await buffer(incoming);
    const input = JSON.parse(body.toString());
    const items = itemsOf(input);
    calls.push({ operation, alongside, consistent: input.ConsistentRead ?? false, items });
    const fault = faultOf(operation) ?? conflictOf(items, response);
    if (fault === "cut before") return incoming.socket.destroy();
    if (fault === "silent") return;
    if (typeof fault === "object" && "text" in fault) return response.end(fault.text);
    if (typeof fault === "object") {
      response.writeHead(fault.status ?? 400, { "Content-Type": "application/x-amz-json-1.0" });
      const __type = `com.amazonaws.dynamodb.v20120810#${fault.error}`;
      return response.end(JSON.stringify({ __type, message: fault.error, ...fault.fields }));
    }
    const { headers } = incoming;
    const forwarded = request(engineUrl, { method: "POST", headers }, async (reply) => {
      const received = await buffer(reply);
      await sleep(operation === "TransactWriteItems" ? hold : delay);
      if (fault === "lost after") return incoming.socket.destroy();
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      if (fault === "drips") return drip(response, received);
      if (fault === "stalls") return response.write(received.subarray(0, received.length / 2));
      response.end(received);
    });
    forwarded.end(body);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const table = openTable({ endpoint: url, timeoutMs });

  return {
    url,
    table,
    calls,
    failWith: (fault) => {
      faultOf = fault;
    },
  };
};

/** Starts the service on a faulty engine, with a new account and its key. */
export const startFaultyService = async (options?: EngineOptions) => {
  const engine = await startFaultyEngine(options);
  return { engine, url: await startService(undefined, engine.table), key: await newKey() };
};

export const unavailable = { message: "The service is temporarily unavailable: please try again" };
