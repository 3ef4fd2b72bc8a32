/** API Gateway's part: an HTTP server that calls the functions the way its REST API does. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Operation } from "../../lib/api/operations.ts";
import { gatewayErrors } from "../gateway-errors.ts";
import { type HttpResponse, invoke, type LambdaHandler } from "./lambda.ts";

export type Route = { operation: Operation; handler: LambdaHandler };

/** By their path, what this machine serves beside the API; each is told the URL it is reached at. */
export type Pages = Record<string, (serverUrl: string) => HttpResponse>;

/** API Gateway's limit on a request. */
const maximumBodyBytes = 10 * 1024 * 1024;

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

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

/** The event of a REST API's proxy integration: header names as they were sent, the last value of each. */
const toEvent = (
  request: IncomingMessage,
  url: URL,
  operation: Operation,
  pathParameters: Record<string, string>,
  body: string | null,
): APIGatewayProxyEvent => {
  const multiValueHeaders: Record<string, string[]> = {};
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name, value] = request.rawHeaders.slice(index, index + 2) as [string, string];
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value];
  }
  const headers = Object.fromEntries(
    Object.entries(multiValueHeaders).map(([name, all]) => [name, all.at(-1)]),
  );
  const query = [...url.searchParams.keys()];
  const requestId = randomUUID();
  return {
    resource: operation.path,
    path: url.pathname,
    httpMethod: operation.method,
    headers,
    multiValueHeaders,
    queryStringParameters: query.length > 0 ? Object.fromEntries(url.searchParams) : null,
    multiValueQueryStringParameters:
      query.length > 0
        ? Object.fromEntries(query.map((name) => [name, url.searchParams.getAll(name)]))
        : null,
    pathParameters,
    stageVariables: null,
    requestContext: {
      requestId,
      extendedRequestId: requestId,
      resourcePath: operation.path,
      httpMethod: operation.method,
      path: url.pathname,
      stage: "local",
      protocol: "HTTP/1.1",
      identity: {
        sourceIp: request.socket.remoteAddress ?? "",
        userAgent: request.headers["user-agent"] ?? null,
      },
      requestTimeEpoch: Date.now(),
    } as APIGatewayProxyEvent["requestContext"],
    body,
    isBase64Encoded: false,
  };
};

const gatewayError = ({ status, message }: { status: number; message: string }): HttpResponse => ({
  statusCode: status,
  headers: gatewayErrors.headers,
  body: JSON.stringify({ message }),
});

const answer = async (routes: Route[], pages: Pages, request: IncomingMessage): Promise<HttpResponse> => {
  const url = new URL(request.url ?? "/", "http://localhost");
  for (const { operation, handler } of routes) {
    const match = pattern(operation.path).exec(url.pathname);
    if (!match || operation.method !== request.method) continue;
    const body = await readBody(request);
    if (body === undefined) return gatewayError(gatewayErrors.tooLarge);
    const parameters = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, segment]) => [name, decode(segment)]),
    );
    return invoke(handler, toEvent(request, url, operation, parameters, body), {
      functionName: operation.id,
    });
  }
  request.resume();
  const page = request.method === "GET" && pages[url.pathname];
  return page ? page(`http://${request.headers.host}`) : gatewayError(gatewayErrors.noRoute);
};

const send = async (response: ServerResponse, { statusCode, headers, body }: HttpResponse): Promise<void> => {
  response.writeHead(statusCode, headers);
  if (typeof body === "string") response.end(body);
  else await pipeline(body, response);
};

/** An HTTP server, not yet listening, that serves the routes, and pages beside them. */
export const gateway = (routes: Route[], pages: Pages = {}): Server =>
  createServer(async (request, response) => {
    try {
      await send(response, await answer(routes, pages, request));
    } catch {
      // The function failed: before its answer that is a 500; within it, a connection that breaks off.
      if (response.headersSent) response.destroy();
      else await send(response, gatewayError(gatewayErrors.failure));
    }
  });
