/** Emulates API Gateway: an HTTP server that calls the functions with the same events as a REST API on AWS. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream/promises";
import pLimit, { type LimitFunction } from "p-limit";
import { bodyTooLarge, type ErrorResponse, internalError, noRoute } from "../../lib/http/error-catalogue.ts";
import type { Operation } from "../../lib/http/operations.ts";
import { hasForeignHost, hasForeignOrigin, hasForeignSite, isFollowedLink } from "./cross-origin.ts";
import { gatewayError, newExtendedRequestId } from "./gateway-error.ts";
import { type HttpResponse, invoke, type LambdaHandler } from "./lambda.ts";
import { respondToMalformedHttp } from "./malformed-http.ts";
import { targetOf, toEvent } from "./proxy-event.ts";

export type LocalRoute = { operation: Operation; handler: LambdaHandler };

/** A page, or a script or data for a page, that `npm start` serves in addition to the API. */
export type Page = {
  method?: "POST";
  /**
   * Private pages contain the demonstration's API key or people's emails, so they are served only to this machine.
   * Checking the Host header prevents DNS rebinding.
   */
  isPrivate: boolean;
  /** A link of another site, such as a chat, may lead to a document, but not to a script or to data. */
  isDocument?: true;
  respond: (request: IncomingMessage) => HttpResponse | Promise<HttpResponse>;
};

/** A deployed API may send a header several times; a local function never does. */
export type Sendable = Omit<HttpResponse, "headers"> & { headers: OutgoingHttpHeaders };

export type Forward = (request: IncomingMessage) => Promise<Sendable>;

export type Pages = ReadonlyMap<string, Page>;

/** Sets `Cache-Control: no-store`, unless `headers` replaces it. */
export const pageResponse = (type: string, body: HttpResponse["body"], headers = {}): HttpResponse => ({
  statusCode: 200,
  headers: {
    "Content-Type": type,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    ...headers,
  },
  body,
});

/** API Gateway's limit for request bodies. */
const maximumBodyBytes = 10 * 1024 * 1024;

const foreignOrigin = {
  status: 403,
  message: "This server rejects requests from web pages of other origins",
};
const foreignHost = {
  status: 403,
  message: "This address is private: open it under 127.0.0.1, localhost or [::1], with the server's port",
};
const noHost = { status: 400, message: "The request must have one Host header" };

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** Reads the whole body. Returns `null` for an empty body, and `undefined` for a body that exceeds the limit. */
const readBody = async (request: IncomingMessage): Promise<string | null | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maximumBodyBytes) chunks.push(chunk);
  }
  if (bytes > maximumBodyBytes) return undefined;
  return bytes > 0 ? Buffer.concat(chunks).toString() : null;
};

const findRoute = (routes: LocalRoute[], method: string | undefined, path: string) => {
  for (const route of routes) {
    const match = route.operation.method === method && pattern(route.operation.path).exec(path);
    if (!match) continue;
    const segments = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)] as const);
    return { ...route, pathParameters: Object.fromEntries(segments) };
  }
};

type Gateway = { routes: LocalRoute[]; pages: Pages; limit: LimitFunction; forward: Forward | undefined };

const respond = async (
  { routes, pages, limit, forward }: Gateway,
  request: IncomingMessage,
  extendedRequestId: string,
): Promise<Sendable> => {
  const target = targetOf(request);
  const { headersDistinct, method } = request;
  const reject = (error: ErrorResponse) => gatewayError(error, extendedRequestId);
  if (headersDistinct.host?.length !== 1) return reject(noHost);
  if (hasForeignOrigin(request)) return reject(foreignOrigin);
  const page = pages.get(target.path);
  const isLinked = page?.isDocument && isFollowedLink(request);
  if (hasForeignSite(request) && !isLinked) return reject(foreignOrigin);
  if (forward && target.path.startsWith("/v2/")) {
    return hasForeignHost(request, target.authority) ? reject(foreignHost) : forward(request);
  }
  const match = findRoute(routes, method, target.path);
  if (match) {
    const { operation, handler, pathParameters } = match;
    const body = await readBody(request);
    if (body === undefined) return reject(bodyTooLarge);
    const event = toEvent(request, operation, target, { extendedRequestId, pathParameters, body });
    return limit(() => invoke(handler, event, { functionName: operation.id }));
  }
  if (!page || method !== (page.method ?? "GET")) return reject(noRoute);
  if (page.isPrivate && hasForeignHost(request, target.authority)) return reject(foreignHost);
  return page.respond(request);
};

const send = async (response: ServerResponse, { statusCode, headers, body }: Sendable): Promise<void> => {
  if (typeof body !== "string" && response.destroyed) {
    // The caller has disconnected. Nobody will read the body, and without `destroy` the function would wait for a
    // reader until its timeout.
    body.destroy();
    return;
  }
  response.writeHead(statusCode, headers);
  if (typeof body === "string") response.end(body);
  else await pipeline(body, response);
};

/**
 * @param functionsAtOnce how many functions may prepare a response at the same time. Further requests wait
 * @param forward receives every request below /v2/ instead of `routes`
 */
export const gateway = (
  routes: LocalRoute[],
  pages: Pages = new Map(),
  functionsAtOnce = Number.POSITIVE_INFINITY,
  forward?: Forward,
): Server => {
  const shared = { routes, pages, limit: pLimit(functionsAtOnce), forward };
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const extendedRequestId = newExtendedRequestId();
    try {
      const result = await respond(shared, request, extendedRequestId);
      request.resume(); // An unread body would block the connection's next request.
      await send(response, result);
    } catch {
      // If the function failed halfway through its response, `pipeline` has already closed the connection.
      if (!response.headersSent) await send(response, gatewayError(internalError, extendedRequestId));
    }
  };
  const server = createServer({ requireHostHeader: false }, listener);
  server.on("checkExpectation", listener); // API Gateway ignores unknown expectations. Node.js responds with 417.
  respondToMalformedHttp(server);
  return server;
};
