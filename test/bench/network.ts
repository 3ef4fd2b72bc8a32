/**
 * The network between a function and DynamoDB within a region, in front of the engine: a proxy that holds back
 * every call and paces every answer.
 */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** DynamoDB's own word for it is "single-digit milliseconds" (https://aws.amazon.com/dynamodb/). */
const callMilliseconds = 5;

/**
 * Of one connection. AWS says nothing of DynamoDB's; of S3's within a region it says 85 to 90 MB/s
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance-design-patterns.html).
 */
const bytesPerMillisecond = 80_000;

/** A timer may be late by this much; what it was late by is made up for. */
const timerMilliseconds = 2;

async function* paced(chunks: AsyncIterable<Buffer>) {
  let free = 0;
  for await (const chunk of chunks) {
    free = Math.max(free, performance.now() - timerMilliseconds) + chunk.length / bytesPerMillisecond;
    const early = free - performance.now();
    if (early >= 1) await sleep(early);
    yield chunk;
  }
}

const join = (caller: Socket, engineUrl: string): void => {
  const { hostname, port } = new URL(engineUrl);
  const engine = connect(Number(port), hostname).setNoDelay();
  caller.on("data", (chunk) => setTimeout(() => engine.write(chunk), callMilliseconds));
  caller.once("close", () => engine.destroy());
  pipeline(engine, paced, caller).catch(() => caller.destroy());
};

/** Starts the proxy. @returns the engine's address as a function across the network sees it */
export const startNetwork = async (engineUrl: string): Promise<{ url: string; stop: () => void }> => {
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    callers.add(caller.setNoDelay());
    join(caller, engineUrl);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      for (const caller of callers) caller.destroy();
      server.close();
    },
  };
};
