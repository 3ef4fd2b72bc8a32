/** A proxy in front of the engine that counts what a request costs: calls, round trips, capacity units. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Calls that are under way at the same time are one round trip. */
export type Cost = { calls: number; roundTrips: number; readUnits: number; writeUnits: number };

type Consumed = { CapacityUnits?: number };

const reads = new Set(["GetItem", "BatchGetItem", "Query"]);

/** Longer than it takes a function to send the calls of one round trip. */
const answerDelay = 20;

export type EngineProxy = { port: number; take: () => Cost; stop: () => void };

/** `take` answers what was counted since it was last called. */
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
    const [answer] = await Promise.all([
      fetch(engineUrl, {
        method: "POST",
        headers: headers as Record<string, string>,
        body: JSON.stringify({ ...body, ReturnConsumedCapacity: "TOTAL" }),
      }),
      sleep(answerDelay),
    ]);
    const text = await answer.text();
    const consumed = JSON.parse(text).ConsumedCapacity as Consumed | Consumed[] | undefined;
    for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) {
      cost[reads.has(operation) ? "readUnits" : "writeUnits"] += CapacityUnits;
    }
    underWay--;
    response.writeHead(answer.status, { "Content-Type": "application/x-amz-json-1.0" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    take: () => {
      const taken = cost;
      cost = nothing();
      return taken;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
