/** API Gateway's part: an HTTP server that calls the functions the way its REST API does. */
import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream/promises";
import pLimit, { type LimitFunction } from "p-limit";
import { bodyTooLarge, internalError, noRoute } from "../../lib/api/error-catalogue.ts";
import type { Operation } from "../../lib/api/operations.ts";
import { isForeign } from "./cross-origin.ts";
import { type GatewayError, gatewayError } from "./gateway-error.ts";
import { type HttpResponse, invoke, type LambdaHandler } from "./lambda.ts";
import { answerWhatIsNoRequest } from "./malformed-http.ts";
import { targetOf, toEvent } from "./proxy-event.ts";

/** An operation and the handler that serves it. */
export type LocalRoute = { operation: Operation; handler: LambdaHandler };

export type Page = (request: {
  serverUrl: string;
  headers: IncomingHttpHeaders;
}) => HttpResponse | Promise<HttpResponse>;

/** By their path, what this machine serves beside the API; each is told the URL it is reached at. */
export type Pages = ReadonlyMap<string, Page>;

/** API Gateway's limit on a request. */
const maximumBodyBytes = 10 * 1024 * 1024;

const foreign = {
  status: 403,
  message: "This server answers as 127.0.0.1, localhost or [::1] with its port, and to its own pages only",
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

/** Reads the body to its end. Returns `null` where there is none, and `undefined` where it is over the limit. */
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

type Match = LocalRoute & { pathParameters: Record<string, string> };

const findRoute = (routes: LocalRoute[], method: string | undefined, path: string): Match | undefined => {
  for (const route of routes) {
    const match = route.operation.method === method && pattern(route.operation.path).exec(path);
    if (!match) continue;
    const segments = Object.entries(match.groups ?? {});
    return {
      ...route,
      pathParameters: Object.fromEntries(segments.map(([name, text]) => [name, decode(text)])),
    };
  }
  return undefined;
};

/** What all requests to one gateway share. */
type Gateway = { routes: LocalRoute[]; pages: Pages; turns: LimitFunction };

const answer = async (
  { routes, pages, turns }: Gateway,
  request: IncomingMessage,
  requestId: string,
): Promise<HttpResponse> => {
  const target = targetOf(request);
  const { headersDistinct, headers, method } = request;
  const refuse = (error: GatewayError) => gatewayError(error, requestId);
  if (headersDistinct.host?.length !== 1) return refuse(noHost);
  if (isForeign(request, target.authority)) return refuse(foreign);
  const match = findRoute(routes, method, target.path);
  if (match) {
    const { operation, handler, pathParameters } = match;
    const body = await readBody(request);
    if (body === undefined) return refuse(bodyTooLarge);
    const event = toEvent(request, operation, target, { requestId, pathParameters, body });
    return turns(() => invoke(handler, event, { functionName: operation.id }));
  }
  const page = method === "GET" && pages.get(target.path);
  return page ? page({ serverUrl: `http://${headers.host}`, headers }) : refuse(noRoute);
};

const send = async (response: ServerResponse, { statusCode, headers, body }: HttpResponse): Promise<void> => {
  response.writeHead(statusCode, headers);
  if (typeof body === "string") response.end(body);
  else await pipeline(body, response);
};

/**
 * Returns an HTTP server, not yet listening, that serves the routes, and pages beside them.
 *
 * @param functionsAtOnce how many functions may be at work on their answers; further requests wait
 */
export const gateway = (
  routes: LocalRoute[],
  pages: Pages = new Map(),
  functionsAtOnce = Number.POSITIVE_INFINITY,
): Server => {
  const shared = { routes, pages, turns: pLimit(functionsAtOnce) };
  const listener: RequestListener = async (request, response) => {
    const requestId = randomUUID();
    try {
      const answered = await answer(shared, request, requestId);
      request.resume(); // what was not read would keep the connection from its next request
      await send(response, answered);
    } catch {
      // The function failed. Within its answer that is a connection that breaks off, which pipeline has seen to.
      if (!response.headersSent) await send(response, gatewayError(internalError, requestId));
    }
  };
  const server = createServer({ requireHostHeader: false }, listener);
  server.on("checkExpectation", listener); // Node's own 417: no expectation but 100-continue means anything to us
  answerWhatIsNoRequest(server);
  return server;
};
