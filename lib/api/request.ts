/**
 * The request that all middlewares and the handler share.
 *
 * Each check throws, or adds its results to the request. `apiKey` is a promise, so that no check waits for the table
 * and all reads run in parallel.
 */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { ApiKey } from "../api-keys/store.ts";
import { metered } from "../table/metered.ts";
import type { Table } from "../table/table.ts";
import { uptimeMs } from "../time.ts";
import type { AccountPath } from "./operations.ts";
import type { ProxyResult } from "./response.ts";

export type RequestLog = {
  readonly requestId: string;
  /** API Gateway's `requestId`, which may not be unique, because callers can choose it. */
  readonly gatewayRequestId: string | undefined;
  /** `uptimeMs()` at the start of the request. */
  readonly startedAt: number;
  /** When API Gateway received the request, in milliseconds since the epoch. */
  readonly receivedAt: number | undefined;
  consumedCapacity: number;
  /** The query parameters whose `isLogged` is true. */
  query?: Record<string, unknown>;
  /** The API key that the caller sent, even if the key is revoked, expired or another account's. */
  apiKey?: ApiKey | undefined;
  /** The cause of a 5xx response or of an incomplete response. */
  fault?: Error;
};

export type ApiRequest<Path = AccountPath, Query = unknown, Body = unknown> = {
  /** All values of each header. The names keep the caller's upper and lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly requestLog: RequestLog;
  table: Table;

  // Each check sets one of these fields. TypeScript can't know that a field is missing until its check has run.
  /** Rejects if the API key is invalid. After `authorize`, also rejects if the key doesn't allow the request. */
  apiKey: Promise<ApiKey>;
  path: Path;
  query: Query;
  idempotencyKey?: string;
  /** The parsed body, including fields that the schema doesn't know. */
  json: unknown;
  body: Body;
};

export type ApiContext<Path = AccountPath, Query = unknown, Body = unknown> = Context & {
  request: ApiRequest<Path, Query, Body>;
};

/** The event has its header names in lower case, and only the last value of a repeated header. */
export type ApiMiddleware<Path = AccountPath, Query = unknown, Body = unknown> = MiddlewareObj<
  APIGatewayProxyEvent,
  ProxyResult,
  Error,
  ApiContext<Path, Query, Body>
>;

/** Returns every value of a header that the caller may have repeated. @param name in lower case */
export const headerValues = ({ headers }: ApiRequest, name: string): string[] =>
  Object.entries(headers).flatMap(([spelling, values = []]) => (spelling.toLowerCase() === name ? values : []));

/** Retries stop this long before the timeout, so that there is still time for an error response. */
const marginMs = 1000;

export const beginRequest = <Path, Query, Body>(
  event: APIGatewayProxyEvent,
  lambdaContext: Context,
  table: Table,
  now: number,
): ApiContext<Path, Query, Body> => {
  event.headers ??= {}; // A test event of the Lambda console may have none.
  const headers = event.multiValueHeaders ?? event.headers;
  const { extendedRequestId, requestId, requestTimeEpoch } = event.requestContext ?? {};
  const requestLog: RequestLog = {
    requestId: extendedRequestId ?? requestId ?? lambdaContext.awsRequestId,
    gatewayRequestId: requestId,
    startedAt: uptimeMs(),
    receivedAt: requestTimeEpoch,
    consumedCapacity: 0,
  };
  const counted = metered(table, (units) => {
    requestLog.consumedCapacity += units;
  });
  const deadline = requestLog.startedAt + lambdaContext.getRemainingTimeInMillis() - marginMs;
  const request = { headers, now, requestLog, table: { ...counted, deadline } };
  return Object.assign(lambdaContext, { request: request as ApiRequest<Path, Query, Body> });
};
