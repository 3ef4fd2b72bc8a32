/**
 * Checks a request with a chain of steps.
 *
 * A step receives the results of the earlier steps, and returns its own results. A step rejects the request by
 * throwing an error. A step that reads the table returns a promise. The next step starts without waiting for the
 * promise, so that the reads of all steps run in parallel. If several steps fail, the caller receives the error of the
 * first failed step in the chain. The first step checks the API key, so a caller without a valid API key receives no
 * error of a later step.
 */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { ApiKey } from "../api-keys/store.ts";
import { uptimeMs } from "../duration.ts";
import { metered } from "../table/metered.ts";
import type { Table } from "../table/table.ts";
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
  /** The API key, if it is valid and belongs to the account in the path. */
  apiKey?: ApiKey;
  /** The cause of a 5xx response or of an incomplete response. */
  fault?: Error;
};

/** An API request before any check has run. */
export type ApiRequest = {
  /** Header names are in lower case. For a repeated header, `event` contains only one of the header's values. */
  readonly event: APIGatewayProxyEvent;
  /** All values of each header. Header names have the case in which the caller sent them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly context: Context;
  readonly table: Table;
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly requestLog: RequestLog;
};

/** Lambda's context object with two added fields. All middlewares and the handler share one context object. */
export type ApiContext = Context & {
  /** The request with the results of all steps so far. */
  request: ApiRequest;
  /** The promises that the steps returned, in the order of the steps. */
  pending: Promise<unknown>[];
};

export type ApiMiddleware = MiddlewareObj<APIGatewayProxyEvent, ProxyResult, Error, ApiContext>;

/**
 * A step of the chain. A step returns an object whose fields are added to the request. The fields may be promises. A
 * step without results returns `undefined` or a promise of `undefined`. The type parameter `Name` is the step's name.
 * TypeScript uses the names to check that the steps of a chain are in the required order.
 */
export type Step<Name extends string, Input, Output = void | Promise<void>> = {
  (request: Input): Output;
  readonly stepName?: Name;
};

type Added<Output> = Output extends void | Promise<void> ? unknown : Output;
type Rest<Order> = Order extends readonly [string, ...infer Others extends readonly string[]] ? Others : [];

/** A chain of steps. `Missing` lists the names of the steps that the chain still lacks, in the required order. */
export type Steps<State, Missing extends readonly string[]> = {
  readonly middlewares: readonly ApiMiddleware[];
  /** Adds a step to the end of the chain, and returns the new chain. A step in the wrong place does not compile. */
  add<Output>(step: Step<Missing[0] & string, State, Output>): Steps<State & Added<Output>, Rest<Missing>>;
  /** Waits for the promises of all steps, and returns the request with the results of all steps. */
  settled(context: ApiContext): Promise<State>;
};

const settle = async (pending: readonly Promise<unknown>[]): Promise<void> => {
  for (const promise of pending) await promise;
};

/** Returns all values of a header, which may occur several times. @param name in lower case */
export const headerValues = ({ headers }: ApiRequest, name: string): string[] =>
  Object.entries(headers).flatMap(([spelling, values = []]) =>
    spelling.toLowerCase() === name ? values : [],
  );

/** Adds the request and its log data to Lambda's context object. */
export const beginRequest = (
  event: APIGatewayProxyEvent,
  lambdaContext: Context,
  table: Table,
  now: number,
): ApiContext => {
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
  const request = { event, headers, context: lambdaContext, table: counted, now, requestLog };
  return Object.assign(lambdaContext, { request, pending: [] });
};

/** If several steps fail, reports the error of the failed step that comes first in the chain. */
const reportEarliest: ApiMiddleware = {
  onError: async (request) => {
    await settle(request.context.pending).catch((earlier) => {
      request.error = earlier;
    });
  },
};

const hold = (context: ApiContext, values: readonly unknown[]): void => {
  for (const value of values) {
    if (!(value instanceof Promise)) continue;
    value.catch(() => {}); // Prevents an unhandled rejection if the promise rejects before `settle` awaits the promise.
    context.pending.push(value);
  }
};

const stateOf = <State>({ request }: ApiContext) => request as State;

const middlewareOf = <State, Output>(step: Step<string, State, Output>): ApiMiddleware => ({
  before: ({ context }) => {
    const added: unknown = step(stateOf(context));
    hold(context, [added, ...Object.values(added ?? {})]);
    if (!(added instanceof Promise)) Object.assign(context.request, added);
  },
});

const chain = <State, Missing extends readonly string[]>(
  middlewares: readonly ApiMiddleware[],
): Steps<State, Missing> => ({
  middlewares,
  add: (step) => chain([...middlewares, middlewareOf(step)]),
  settled: async (context) => {
    await settle(context.pending);
    return stateOf(context);
  },
});

/**
 * Returns a chain without steps. `Order` lists the names of all steps in the required order.
 *
 * @example
 * steps<["name", "thing"]>().add(readName).add(findThing);
 */
export const steps = <Order extends readonly string[]>(): Steps<ApiRequest, Order> => chain([reportEarliest]);
