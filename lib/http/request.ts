/** Each check throws an error or adds a field to this request, which all middlewares and the handler share. */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { ApiKey } from "../api-keys/store.ts";
import { metered } from "../table/metered.ts";
import type { Table } from "../table/table.ts";
import { uptimeMs } from "../time/clock.ts";
import type { AccountPath } from "./operations.ts";
import type { ProxyResult } from "./response.ts";

export type RequestLog = {
  readonly requestId: string;
  /** Callers can choose API Gateway's `requestId`, so it may not be unique. */
  readonly gatewayRequestId: string | undefined;
  /** A value of `uptimeMs()`. */
  readonly startedAt: number;
  /** When API Gateway received the request, in milliseconds since the epoch. */
  readonly receivedAt: number | undefined;
  consumedCapacity: number;
  query?: Record<string, unknown>;
  /** The API key that the caller sent, even if it is revoked, expired or belongs to another account. */
  apiKey?: ApiKey | undefined;
  /** The error that caused a 5xx status, or cut a response off. */
  fault?: Error;
};

export type ApiRequest<Path = AccountPath, Query = unknown, Body = unknown> = {
  /** Header names keep the caller's upper and lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly requestLog: RequestLog;
  readonly table: Table;

  // The checks set the following properties; before that, they are undefined, even if their type doesn't allow it.
  /**
   * The lookup of the API key, which runs in parallel with the other checks. The promise rejects if the key is not
   * allowed to make this request.
   */
  apiKey: Promise<ApiKey>;
  path: Path;
  query: Query;
  idempotencyKey?: string;
  /** The parsed body, including unknown fields, which validation drops. */
  json: unknown;
  body: Body;
};

export type ApiContext<Path = AccountPath, Query = unknown, Body = unknown> = Context & {
  request: ApiRequest<Path, Query, Body>;
};

/** In `event.headers`, names are in lower case, and a repeated header has only its last value. */
export type ApiMiddleware<Path = AccountPath, Query = unknown, Body = unknown> = MiddlewareObj<
  APIGatewayProxyEvent,
  ProxyResult,
  Error,
  ApiContext<Path, Query, Body>
>;

/** Returns all values of a header, because a caller may have sent it several times. Pass the name in lower case. */
export const headerValues = ({ headers }: ApiRequest, name: string): string[] =>
  Object.entries(headers).flatMap(([spelling, values = []]) => (spelling.toLowerCase() === name ? values : []));

/** Retries stop a second before the function's timeout, to leave time for an error response. */
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
