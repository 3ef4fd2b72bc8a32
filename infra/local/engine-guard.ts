/**
 * The embedded DynamoDB would accept requests from any web page, so we put a proxy in front of it that rejects them.
 * DynamoDB listens on a port that browsers block, so a web page can't go around this proxy.
 */
import { Agent, createServer, request, type Server } from "node:http";
import { pipeline } from "node:stream";
import { hasForeignHost, hasForeignOrigin, hasForeignSite } from "./cross-origin.ts";
import { passedHeaders } from "./passed-headers.ts";

/**
 * Browsers refuse to connect to these ports, the "bad ports" above 1023 of the Fetch standard; old browsers know at
 * least 6665.
 */
export const portsClosedToPages = [
  6665, 6666, 6667, 6668, 6669, 6000, 2049, 4045, 6697, 6679, 6566, 5060, 5061, 10080, 1719, 1720, 1723, 3659, 4190,
];

const rejection = JSON.stringify({
  __type: "com.amazon.coral.service#AccessDeniedException",
  message: "Web pages may not use this DynamoDB (Host, Origin, Sec-Fetch-Site)",
});

const isOfDynamoDb = (name: string): boolean =>
  /^(authorization|content-type|accept-encoding|user-agent|x-amz-.*)$/.test(name);

export const engineGuard = (enginePort: number): Server => {
  const agent = new Agent({ keepAlive: true });
  return createServer((incoming, outgoing) => {
    if (hasForeignOrigin(incoming) || hasForeignHost(incoming) || hasForeignSite(incoming)) {
      incoming.resume();
      outgoing.writeHead(403, { "Content-Type": "application/x-amz-json-1.0" }).end(rejection);
      return;
    }
    const { method, url } = incoming;
    const headers = passedHeaders(incoming, isOfDynamoDb);
    const forwarded = request({ host: "127.0.0.1", port: enginePort, method, path: url, headers, agent });
    forwarded.on("error", () => outgoing.destroy());
    forwarded.on("response", (response) => {
      // If the client has disconnected, `pipeline` would throw and end `npm start`.
      if (outgoing.destroyed) return void response.destroy();
      outgoing.writeHead(response.statusCode ?? 500, response.rawHeaders);
      pipeline(response, outgoing, () => {});
    });
    // If the client disconnects early, we cancel the request to DynamoDB.
    outgoing.on("close", () => outgoing.writableFinished || forwarded.destroy());
    pipeline(incoming, forwarded, () => {});
  });
};
