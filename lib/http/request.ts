/** A request as API Gateway passes it on. The checks add what they find: see `checks.ts`. */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { ApiKey } from "../api-keys/api-key.ts";
import { metered } from "../table/metered.ts";
import { until } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { uptimeMs } from "../time/clock.ts";
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
  /** Resolves when no call to DynamoDB is under way, so that `consumedCapacity` is complete. */
  readonly settled: () => Promise<unknown>;
  query?: Record<string, unknown>;
  /** The UUID of the message in the path. It is not the Message-ID, which contains a domain. */
  messageUuid?: string | undefined;
  /** The API key that the caller sent, even if it is revoked, expired or belongs to another account. */
  apiKey?: ApiKey | undefined;
  /** The error that caused a 5xx status, or cut a response off. */
  fault?: Error;
};

export type Received = {
  readonly event: APIGatewayProxyEvent;
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly requestLog: RequestLog;
  readonly table: Table;
};

export type ApiContext = Context & { request: Received };

export type ApiMiddleware = MiddlewareObj<APIGatewayProxyEvent, ProxyResult, Error, ApiContext>;

/**
 * Returns all values of a header, because a caller may have sent it several times, and in several spellings. Pass the
 * name in lower case.
 */
export const headerValues = ({ event }: Received, name: string): string[] => {
  const headers: Record<string, string | string[] | undefined> = event.multiValueHeaders ?? event.headers ?? {};
  return Object.entries(headers).flatMap(([spelling, values = []]) => (spelling.toLowerCase() === name ? values : []));
};

/** Calls of the table end a second before the function's timeout, to leave time for an error response. */
const marginMs = 1000;

export const beginRequest = (
  event: APIGatewayProxyEvent,
  lambdaContext: Context,
  table: Table,
  now: number,
): ApiContext => {
  const { extendedRequestId, requestId, requestTimeEpoch } = event.requestContext ?? {};
  const startedAt = uptimeMs();
  const deadline = startedAt + lambdaContext.getRemainingTimeInMillis() - marginMs;
  const counted = metered(until(table, deadline), (units) => {
    requestLog.consumedCapacity += units;
  });
  const requestLog: RequestLog = {
    requestId: extendedRequestId ?? requestId ?? lambdaContext.awsRequestId,
    gatewayRequestId: requestId,
    startedAt,
    receivedAt: requestTimeEpoch,
    consumedCapacity: 0,
    settled: counted.settled,
  };
  return Object.assign(lambdaContext, { request: { event, now, requestLog, table: counted } });
};
