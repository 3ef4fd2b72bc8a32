/** The network between a function and DynamoDB within a region: a proxy that delays calls and paces responses. */
import { connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "./local-server.ts";

/** DynamoDB promises "single-digit milliseconds" (https://aws.amazon.com/dynamodb/). */
const callMilliseconds = 5;

/**
 * The pace of one connection. AWS states none for DynamoDB, and 85 to 90 MB/s for S3 within a region
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance-design-patterns.html).
 */
const bytesPerMillisecond = 80_000;

/** A timer may be this late. The next chunk makes up for it. */
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
  caller.setNoDelay().on("data", (chunk) => setTimeout(() => engine.write(chunk), callMilliseconds));
  caller.once("close", () => engine.destroy());
  pipeline(engine, paced, caller).catch(() => caller.destroy());
};

/** Starts the proxy. Returns the engine's address across the network. */
export const startNetwork = async (engineUrl: string): Promise<{ url: string; stop: () => void }> => {
  const { port, stop } = await startServer(createServer((caller) => join(caller, engineUrl)));
  return { url: `http://127.0.0.1:${port}`, stop };
};
