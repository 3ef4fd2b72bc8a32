/** Emulates API Gateway: an HTTP server that calls the functions with the same events as a REST API on AWS. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import pLimit, { type LimitFunction } from "p-limit";
import { bodyTooLarge, type ErrorResponse, internalError, noRoute } from "../../lib/api/error-catalogue.ts";
import type { Operation } from "../../lib/api/operations.ts";
import { hasForeignHost, hasForeignOrigin } from "./cross-origin.ts";
import { gatewayError, newExtendedRequestId } from "./gateway-error.ts";
import { invoke, type LambdaHandler } from "./lambda.ts";
import { respondToMalformedHttp } from "./malformed-http.ts";
import { targetOf, toEvent } from "./proxy-event.ts";
import type { HttpResponse } from "./runtime-upload.ts";

export type LocalRoute = { operation: Operation; handler: LambdaHandler };

/** A web page, or a file for a web page, that `npm start` serves in addition to the API. */
export type Page = {
  /** Whether the page contains an API key. A check of the Host header protects the API key against DNS rebinding. */
  holdsKey: boolean;
  respond: (headers: IncomingMessage["headers"]) => HttpResponse | Promise<HttpResponse>;
};

export type Pages = ReadonlyMap<string, Page>;

/** Returns an HTTP response for a page. No cache may store the page, unless `headers` replaces Cache-Control. */
export const pageResponse = (type: string, body: HttpResponse["body"], headers = {}): HttpResponse => ({
  statusCode: 200,
  headers: {
    "Content-Type": type,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...headers,
  },
  body,
});

/** API Gateway's limit on the body of a request. */
const maximumBodyBytes = 10 * 1024 * 1024;

const foreignOrigin = {
  status: 403,
  message: "This server rejects requests from web pages of other origins",
};
const foreignHost = {
  status: 403,
  message:
    "This page contains an API key: open it under 127.0.0.1, localhost or [::1], with the server's port",
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

type Gateway = { routes: LocalRoute[]; pages: Pages; limit: LimitFunction };

const respond = async (
  { routes, pages, limit }: Gateway,
  request: IncomingMessage,
  extendedRequestId: string,
): Promise<HttpResponse> => {
  const target = targetOf(request);
  const { headersDistinct, headers, method } = request;
  const reject = (error: ErrorResponse) => gatewayError(error, extendedRequestId);
  if (headersDistinct.host?.length !== 1) return reject(noHost);
  if (hasForeignOrigin(request)) return reject(foreignOrigin);
  const match = findRoute(routes, method, target.path);
  if (match) {
    const { operation, handler, pathParameters } = match;
    const body = await readBody(request);
    if (body === undefined) return reject(bodyTooLarge);
    const event = toEvent(request, operation, target, { extendedRequestId, pathParameters, body });
    return limit(() => invoke(handler, event, { functionName: operation.id }));
  }
  const page = method === "GET" && pages.get(target.path);
  if (!page) return reject(noRoute);
  if (page.holdsKey && hasForeignHost(request, target.authority)) return reject(foreignHost);
  return page.respond(headers);
};

const send = async (response: ServerResponse, { statusCode, headers, body }: HttpResponse): Promise<void> => {
  if (typeof body !== "string" && response.destroyed) {
    // If the caller has disconnected, nothing reads `body`. A function that writes to an open `body` would never end.
    body.destroy();
    return;
  }
  response.writeHead(statusCode, headers);
  if (typeof body === "string") response.end(body);
  else await pipeline(body, response);
};

/** @param functionsAtOnce how many functions may prepare a response at the same time. Further requests wait */
export const gateway = (
  routes: LocalRoute[],
  pages: Pages = new Map(),
  functionsAtOnce = Number.POSITIVE_INFINITY,
): Server => {
  const shared = { routes, pages, limit: pLimit(functionsAtOnce) };
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const extendedRequestId = newExtendedRequestId();
    try {
      const result = await respond(shared, request, extendedRequestId);
      request.resume(); // An unread body would block the connection's next request.
      await send(response, result);
    } catch {
      // If the function fails after its response has begun, `pipeline` has already closed the connection.
      if (!response.headersSent) await send(response, gatewayError(internalError, extendedRequestId));
    }
  };
  const server = createServer({ requireHostHeader: false }, listener);
  server.on("checkExpectation", listener); // API Gateway ignores unknown expectations. Node.js responds with 417.
  respondToMalformedHttp(server);
  return server;
};
