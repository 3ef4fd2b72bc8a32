/** A proxy in front of the engine that counts calls, round trips and capacity units. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "./local-server.ts";

/** Calls that are under way at the same time are one round trip. */
export type Cost = { calls: number; roundTrips: number; readUnits: number; writeUnits: number };

type Consumed = { CapacityUnits?: number };

const reads = new Set(["GetItem", "BatchGetItem", "Query"]);

/** Milliseconds. A function needs less time to send the calls of one round trip. */
const responseDelay = 20;

export type EngineProxy = { port: number; take: () => Promise<Cost>; stop: () => void };

/** Starts the proxy. `take` waits for calls under way, and returns the counts since the last `take`. */
export const startEngineProxy = async (engineUrl: string): Promise<EngineProxy> => {
  const nothing = (): Cost => ({ calls: 0, roundTrips: 0, readUnits: 0, writeUnits: 0 });
  let cost = nothing();
  let underWay = 0;

  const server = createServer(async (request, response) => {
    cost.calls++;
    if (underWay++ === 0) cost.roundTrips++;
    const [, operation = ""] = String(request.headers["x-amz-target"]).split(".");
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const { "content-length": _length, host: _host, connection: _connection, ...headers } = request.headers;
    const [received] = await Promise.all([
      fetch(engineUrl, {
        method: "POST",
        headers: headers as Record<string, string>,
        body: JSON.stringify({ ...body, ReturnConsumedCapacity: "TOTAL" }),
      }),
      sleep(responseDelay),
    ]);
    const text = await received.text();
    const consumed = JSON.parse(text).ConsumedCapacity as Consumed | Consumed[] | undefined;
    for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) {
      cost[reads.has(operation) ? "readUnits" : "writeUnits"] += CapacityUnits;
    }
    underWay--;
    response.writeHead(received.status, { "Content-Type": "application/x-amz-json-1.0" }).end(text);
  });
  const take = async (): Promise<Cost> => {
    while (underWay > 0) await sleep(responseDelay);
    const taken = cost;
    cost = nothing();
    return taken;
  };
  return { ...(await startServer(server)), take };
};
