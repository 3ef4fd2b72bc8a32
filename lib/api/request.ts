/**
 * A request on its way through the stack: a chain of steps, in the order in which they refuse it.
 *
 * A step takes what the steps before it have added, and returns what it adds. It refuses by throwing. A step that
 * has to wait for the table returns a promise, and the next steps run meanwhile; but errors are reported in the
 * order of the chain. So the look-up of the key costs no time of its own, and still nobody hears of a wrong
 * field before their key has been found valid.
 */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { ApiKey } from "../api-keys/store.ts";
import type { Clock } from "../table/expiry.ts";
import { metered } from "../table/metered.ts";
import type { Table } from "../table/table.ts";
import type { ProxyResult } from "./response.ts";

/** What the log line and the counts of a request tell. */
export type RequestLog = {
  readonly requestId: string;
  /** `performance.now()` at the start. */
  readonly startedAt: number;
  consumedCapacity: number;
  /** The key, once it is known to belong to the account. */
  principal?: ApiKey;
  /** What the caller hears of as a 5xx, or as a response that breaks off. */
  fault?: Error;
};

/** What the first step is given. */
export type ApiRequest = {
  /** With the names of its headers in lower case. */
  readonly event: APIGatewayProxyEvent;
  readonly context: Context;
  readonly table: Table;
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly requestLog: RequestLog;
};

/** What travels with a request, in the one object that middlewares and handler both receive. */
export type ApiContext = Context & {
  requestLog: RequestLog;
  /** What the steps have added so far. */
  request: ApiRequest;
  /** What they wait for, in their order. */
  pending: Promise<unknown>[];
};

export const requestLogOf = (context: Context): RequestLog => (context as ApiContext).requestLog;

export type ApiMiddleware = MiddlewareObj<APIGatewayProxyEvent, ProxyResult, Error, ApiContext>;

/** Takes what it needs of a request and returns what it adds, as promises where it has to wait. */
export type Step<Needs, Adds> = (request: Needs) => Adds;

/** A step that adds nothing: it lets the request pass, or throws. */
export type Check<Needs> = (request: Needs) => void | Promise<void>;

export type Steps<State> = {
  readonly middlewares: readonly ApiMiddleware[];
  /** The chain with one more step. A step whose needs no earlier one has added does not compile. */
  add<Adds extends object>(step: Step<State, Adds>): Steps<State & Adds>;
  check(check: Check<State>): Steps<State>;
  /** What every step has added, once none of them has refused. @throws what the first that does has thrown */
  settled(context: ApiContext): Promise<State>;
};

const settle = async (pending: readonly Promise<unknown>[]): Promise<void> => {
  for (const promise of pending) await promise;
};

/** Opens the context of a request; the first middleware of all. */
export const beginRequest = (table: Table, clock: Clock): ApiMiddleware => ({
  before: ({ event, context }) => {
    event.headers ??= {}; // a test event from the console may have none
    const requestLog: RequestLog = {
      requestId: event.requestContext?.requestId ?? context.awsRequestId,
      startedAt: performance.now(),
      consumedCapacity: 0,
    };
    const counted = metered(table, (units) => {
      requestLog.consumedCapacity += units;
    });
    context.requestLog = requestLog;
    context.request = { event, context, table: counted, now: clock(), requestLog };
    context.pending = [];
  },
});

/** An error waits until the steps before it have spoken. */
const inTurn: ApiMiddleware = {
  onError: async (request) => {
    await settle(request.context.pending).catch((earlier) => {
      request.error = earlier;
    });
  },
};

const chain = <State extends ApiRequest>(middlewares: readonly ApiMiddleware[]): Steps<State> => {
  const stateOf = (context: ApiContext) => context.request as State;
  const hold = (context: ApiContext, value: unknown) => {
    if (!(value instanceof Promise)) return;
    value.catch(() => {}); // reported in its turn
    context.pending.push(value);
  };
  const before = (run: (context: ApiContext) => void): ApiMiddleware => ({
    before: ({ context }) => run(context),
  });
  return {
    middlewares,
    add: <Adds extends object>(step: Step<State, Adds>) =>
      chain<State & Adds>([
        ...middlewares,
        before((context) => {
          const added = step(stateOf(context));
          for (const value of Object.values(added)) hold(context, value);
          Object.assign(context.request, added);
        }),
      ]),
    check: (check) => chain([...middlewares, before((context) => hold(context, check(stateOf(context))))]),
    settled: async (context) => {
      await settle(context.pending);
      return stateOf(context);
    },
  };
};

/**
 * The empty chain.
 *
 * @example
 * steps()
 *   .add(({ event }) => ({ name: event.pathParameters?.name ?? "" }))
 *   .check(({ name }) => { if (name === "") throw new ApiError(nameMissing); })
 *   .add(({ table, name }) => ({ thing: findThing(table, name) })) // a promise: told in its turn
 */
export const steps = (): Steps<ApiRequest> => chain([inTurn]);
