/**
 * The request that all middlewares and the handler share.
 *
 * A check adds its results to it, or throws. No check waits for a read of the table: `apiKey` is a promise, so that all
 * reads run in parallel.
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
  /** API Gateway's `requestId`. Callers can choose it, so it may not be unique. */
  readonly gatewayRequestId: string | undefined;
  /** `uptimeMs()` at the start of the request. */
  readonly startedAt: number;
  /** When API Gateway received the request, in milliseconds since the epoch. */
  readonly receivedAt: number | undefined;
  consumedCapacity: number;
  /** The query parameters whose `isLogged` is true. */
  query?: Record<string, unknown>;
  /** The API key of the request's secret, even if it is revoked, expired or another account's. */
  apiKey?: ApiKey | undefined;
  /** The cause of a 5xx response or of an incomplete response. */
  fault?: Error;
};

export type ApiRequest<Path = AccountPath, Query = unknown, Body = unknown> = {
  /** All values of each header, under the name as the caller spelled it. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly requestLog: RequestLog;
  table: Table;

  // The results of the checks. TypeScript can't know that each is missing until its check has run.
  /** Rejects if the API key is invalid; from `authorize` on, also if it doesn't allow the request. */
  apiKey: Promise<ApiKey>;
  path: Path;
  query: Query;
  idempotencyKey?: string;
  /** The parsed body, still with the fields that the schema doesn't know. */
  json: unknown;
  body: Body;
};

export type ApiContext<Path = AccountPath, Query = unknown, Body = unknown> = Context & {
  request: ApiRequest<Path, Query, Body>;
};

/** In the event, header names are in lower case, and a repeated header has only its last value. */
export type ApiMiddleware<Path = AccountPath, Query = unknown, Body = unknown> = MiddlewareObj<
  APIGatewayProxyEvent,
  ProxyResult,
  Error,
  ApiContext<Path, Query, Body>
>;

/** All values of a header, which may occur several times. @param name in lower case */
export const headerValues = ({ headers }: ApiRequest, name: string): string[] =>
  Object.entries(headers).flatMap(([spelling, values = []]) =>
    spelling.toLowerCase() === name ? values : [],
  );

/** The time that remains for the response when the last retry has failed. */
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
