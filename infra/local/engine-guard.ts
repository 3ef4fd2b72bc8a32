/**
 * Keeps web pages away from the engine. The engine allows every Origin, so any page could read and write the table.
 * Therefore the engine listens on a port that browsers block, and programs use the port of a guard.
 */
import { Agent, createServer, request, type Server } from "node:http";
import { pipeline } from "node:stream";
import { hasForeignHost, hasForeignOrigin } from "./cross-origin.ts";

/** The "bad ports" of the Fetch standard above 1023. Browsers have blocked the first ones longest. */
export const portsClosedToPages = [
  6665, 6666, 6667, 6668, 6669, 6000, 2049, 4045, 6697, 6679, 6566, 5060, 5061, 10080, 1719, 1720, 1723, 3659,
  4190,
];

const rejection = JSON.stringify({
  __type: "com.amazon.coral.service#AccessDeniedException",
  message: "Web pages may not use this DynamoDB (Host, Origin)",
});

/** Returns a server that forwards requests to the engine, and rejects requests from web pages. It does not listen yet. */
export const engineGuard = (enginePort: number): Server => {
  const agent = new Agent({ keepAlive: true });
  return createServer((incoming, outgoing) => {
    if (hasForeignOrigin(incoming) || hasForeignHost(incoming)) {
      incoming.resume();
      outgoing.writeHead(403, { "Content-Type": "application/x-amz-json-1.0" }).end(rejection);
      return;
    }
    const { method, url, headers } = incoming;
    const forwarded = request({ host: "127.0.0.1", port: enginePort, method, path: url, headers, agent });
    forwarded.on("error", () => outgoing.destroy());
    forwarded.on("response", (response) => {
      // `pipeline` throws if the program has disconnected. The exception would end `npm start`.
      if (outgoing.destroyed) return void response.destroy();
      outgoing.writeHead(response.statusCode ?? 500, response.rawHeaders);
      pipeline(response, outgoing, () => {});
    });
    // Ends the call of a program that has disconnected. A call that has ended keeps its connection for the next call.
    outgoing.on("close", () => outgoing.writableFinished || forwarded.destroy());
    pipeline(incoming, forwarded, () => {});
  });
};
