/**
 * The checks of a request, as a chain of steps.
 *
 * A step receives the results of earlier steps, and returns its own. A step rejects the request by throwing.
 * A step that reads the table adds a promise, and the next step starts without waiting. So the look-up of the key costs
 * no extra round trip. If several steps fail, the caller receives the error of the earliest step. So a caller without
 * a valid key learns nothing else about the request.
 */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { ApiKey } from "../api-keys/store.ts";
import { metered } from "../table/metered.ts";
import type { Table } from "../table/table.ts";
import type { ProxyResult } from "./response.ts";

/** The log data of a request. */
export type RequestLog = {
  readonly requestId: string;
  /** API Gateway's `requestId`. A caller can choose it. */
  readonly gatewayRequestId: string | undefined;
  /** `performance.now()` at the start. */
  readonly startedAt: number;
  /** The time at which API Gateway received the request, in milliseconds since the epoch. */
  readonly receivedAt: number | undefined;
  consumedCapacity: number;
  /** The values of the query parameters that are logged. */
  query?: Record<string, unknown>;
  /** The API key, after the check that the key belongs to the account. */
  apiKey?: ApiKey;
  /** The cause of a 5xx response or of an incomplete response. */
  fault?: Error;
};

/** The input of the first step. */
export type ApiRequest = {
  /** Header names are in lower case. Of several lines or spellings of a header, only one is left. */
  readonly event: APIGatewayProxyEvent;
  /** All lines of each header, under its name as the caller spelled it. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly context: Context;
  readonly table: Table;
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly requestLog: RequestLog;
};

/** Lambda's context with the state of the request. Middlewares and handler share this object. */
export type ApiContext = Context & {
  requestLog: RequestLog;
  /** Everything that the steps have added so far. */
  request: ApiRequest;
  /** The promises of the steps, in the order of the steps. */
  pending: Promise<unknown>[];
};

export type ApiMiddleware = MiddlewareObj<APIGatewayProxyEvent, ProxyResult, Error, ApiContext>;

/**
 * Takes its input from the request, and returns an object to add to the request. The object may contain promises. A
 * step that adds nothing returns nothing, or a promise that rejects to reject the request. `Place` is the name of the
 * step in the order of the chain. `earlier` resolves when all earlier steps have passed.
 */
export type Step<Place extends string, Input, Output = void | Promise<void>> = ((
  request: Input,
  earlier: () => Promise<void>,
) => Output) & { readonly place?: Place };

type Added<Output> = Output extends void | Promise<void> ? unknown : Output;
type Rest<Order> = Order extends readonly [string, ...infer Others extends readonly string[]] ? Others : [];

/** A chain of steps. `Left` names the steps that are still to be added, in their order. */
export type Steps<State, Left extends readonly string[]> = {
  readonly middlewares: readonly ApiMiddleware[];
  /** Returns the chain with one more step. A step that is not the next in `Left` does not compile. */
  add<Output>(step: Step<Left[0] & string, State, Output>): Steps<State & Added<Output>, Rest<Left>>;
  /** Waits until all steps have passed. Returns the request with everything that they added. */
  settled(context: ApiContext): Promise<State>;
};

const settle = async (pending: readonly Promise<unknown>[]): Promise<void> => {
  for (const promise of pending) await promise;
};

/** Returns all values of a header, in the order of its lines. @param name in lower case */
export const headerValues = ({ headers }: ApiRequest, name: string): string[] =>
  Object.entries(headers).flatMap(([spelling, values = []]) =>
    spelling.toLowerCase() === name ? values : [],
  );

/** Adds the state of a request to Lambda's context. */
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
    startedAt: performance.now(),
    receivedAt: requestTimeEpoch,
    consumedCapacity: 0,
  };
  const counted = metered(table, (units) => {
    requestLog.consumedCapacity += units;
  });
  const request = { event, headers, context: lambdaContext, table: counted, now, requestLog };
  return Object.assign(lambdaContext, { requestLog, request, pending: [] });
};

/** If a step throws while earlier steps are pending, replaces its error by the error of an earlier step. */
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
    value.catch(() => {}); // `settle` reports the rejection. Until then, Node.js must not count it as unhandled.
    context.pending.push(value);
  }
};

const stateOf = <State>({ request }: ApiContext) => request as State;

const middlewareOf = <State, Output>(step: Step<string, State, Output>): ApiMiddleware => ({
  before: ({ context }) => {
    const earlier = [...context.pending];
    const added: unknown = step(stateOf(context), () => settle(earlier));
    hold(context, [added, ...Object.values(added ?? {})]);
    if (!(added instanceof Promise)) Object.assign(context.request, added);
  },
});

const chain = <State, Left extends readonly string[]>(
  middlewares: readonly ApiMiddleware[],
): Steps<State, Left> => ({
  middlewares,
  add: (step) => chain([...middlewares, middlewareOf(step)]),
  settled: async (context) => {
    await settle(context.pending);
    return stateOf(context);
  },
});

/**
 * Returns the empty chain. `Order` names its steps.
 *
 * @example
 * steps<["name", "thing"]>().add(readName).add(findThing);
 */
export const steps = <Order extends readonly string[]>(): Steps<ApiRequest, Order> => chain([reportEarliest]);
