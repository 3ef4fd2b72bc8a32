/**
 * The request that all middlewares and the handler share.
 *
 * A middleware of a check adds its results to the request, or rejects the request by throwing an error. No check waits
 * for a read of the table: `apiKey` is a promise, so that all reads run in parallel.
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
  /** API Gateway's `requestId`, which may not be unique, because callers can choose the value. */
  readonly gatewayRequestId: string | undefined;
  /** `uptimeMs()` at the start of the request. */
  readonly startedAt: number;
  /** The time at which API Gateway received the request, in milliseconds since the epoch. */
  readonly receivedAt: number | undefined;
  consumedCapacity: number;
  /** The values of the query parameters whose `isLogged` is true. */
  query?: Record<string, unknown>;
  /** The API key of the request's secret, even if it is revoked, expired or another account's. */
  apiKey?: ApiKey | undefined;
  /** The cause of a 5xx response or of an incomplete response. */
  fault?: Error;
};

/** An API request. */
export type ApiRequest<Path = AccountPath, Query = unknown, Body = unknown> = {
  /** All values of each header. Header names have the case in which the caller sent them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly requestLog: RequestLog;
  table: Table;

  // The results of the checks. TypeScript does not know that a result is missing until its middleware has run.
  /** Rejects if the API key is invalid. After `authorize`, also rejects if the API key does not allow the request. */
  apiKey: Promise<ApiKey>;
  path: Path;
  query: Query;
  idempotencyKey?: string;
  /** The body with its unknown fields. */
  json: unknown;
  body: Body;
};

/** Lambda's context object with the request. All middlewares and the handler share one context object. */
export type ApiContext<Path = AccountPath, Query = unknown, Body = unknown> = Context & {
  request: ApiRequest<Path, Query, Body>;
};

/** Header names of the event are in lower case. For a repeated header, the event contains only one of the values. */
export type ApiMiddleware<Path = AccountPath, Query = unknown, Body = unknown> = MiddlewareObj<
  APIGatewayProxyEvent,
  ProxyResult,
  Error,
  ApiContext<Path, Query, Body>
>;

/** Returns all values of a header, which may occur several times. @param name in lower case */
export const headerValues = ({ headers }: ApiRequest, name: string): string[] =>
  Object.entries(headers).flatMap(([spelling, values = []]) =>
    spelling.toLowerCase() === name ? values : [],
  );

/** The time that remains for the response when the last retry has failed. */
const marginMs = 1000;

/** Adds the request and its log data to Lambda's context object. */
export const beginRequest = <Path, Query, Body>(
  event: APIGatewayProxyEvent,
  lambdaContext: Context,
  table: Table,
  now: number,
): ApiContext<Path, Query, Body> => {
  event.headers ??= {}; // A test event from the Lambda console may have no headers.
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
