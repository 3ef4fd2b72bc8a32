/** A proxy in front of the engine that can be told to refuse calls, or to stall within an answer. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Of calls of one operation: "refuse" closes the connection, "stall" sends half of the answer and no more. */
type Fault = { operation: string; kind: "refuse" | "stall"; after?: number };

export const startFailingEngine = async (engineUrl: string) => {
  let fault: Fault | undefined;
  let calls = 0;

  const server = createServer(async (incoming, reply) => {
    const [, operation] = String(incoming.headers["x-amz-target"]).split(".");
    const isFaulty = operation === fault?.operation && calls++ >= (fault?.after ?? 0);
    const kind = isFaulty ? fault?.kind : undefined;
    if (kind === "refuse") return incoming.socket.destroy();
    const body = await buffer(incoming);
    const forwarded = request(engineUrl, { method: "POST", headers: incoming.headers }, async (answer) => {
      const answered = await buffer(answer);
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      if (kind === "stall") reply.write(answered.subarray(0, answered.length / 2));
      else reply.end(answered);
    });
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From now on; `after` so many calls of the operation that are served. */
    failWith: (next: Fault | undefined): void => {
      fault = next;
      calls = 0;
    },
    stop: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};
