/** Builds an operation's Lambda handler: the shared middlewares, and then the operation itself. */
import middy from "@middy/core";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Clock } from "../table/expiry.ts";
import { openTable, type Table } from "../table/table.ts";
import { authenticate, authorize, keyFirst } from "./authenticate.ts";
import { noChecks } from "./checks.ts";
import { type ApiHandler, deliveryOf } from "./delivery.ts";
import { errorHandler } from "./errors.ts";
import * as idempotency from "./idempotency.ts";
import { observe } from "./observe.ts";
import type { AccountPath, Operation } from "./operations.ts";
import { type ApiContext, beginRequest } from "./request.ts";
import { type ApiResponse, type ProxyResult, toProxyResult } from "./response.ts";
import * as validate from "./validate.ts";

type Call<Path, Query, Body> = { path: Path; query: Query; body: Body; table: Table; now: number };

type Definition<Path extends AccountPath, Query, Body, Streams extends boolean, Prefetched> = {
  operation: Operation<Path, Query, Body, Streams>;
  /** Tells whether a scope covers only certain items. Then `handle` has to check whether the item is one of them. */
  isPartialScope?: (scope: string) => boolean;
  /**
   * Makes the operation's first read, in parallel with the lookup of the API key, and passes its result to `handle`.
   * Make only one read: if existing items took a second one, response times could reveal which items exist.
   */
  prefetch: (call: Call<Path, Query, Body>) => Promise<Prefetched>;
  /** Runs after every check has passed. `scopes` are those of the caller's API key. */
  handle: (
    call: Call<Path, Query, Body> & {
      prefetched: Prefetched;
      scopes: readonly string[];
      once: idempotency.Once;
    },
  ) => Promise<ApiResponse<Streams>> | ApiResponse<Streams>;
};

/** The returned `createHandler` takes a table and a clock, so tests can pass their own. */
export const endpoint =
  <Path extends AccountPath, Query, Body, Streams extends boolean, Prefetched>({
    operation,
    isPartialScope,
    prefetch,
    handle,
  }: Definition<Path, Query, Body, Streams, Prefetched>) =>
  (table: Table = openTable(), clock: Clock = Date.now): ApiHandler => {
    // The order is part of the API: a request with several mistakes gets the error of the first check that fails.
    const checks = noChecks
      .and(authenticate) // 401
      .and(validate.path(operation)) // 400
      .and(validate.query(operation)) // 400
      .and(authorize(operation, isPartialScope)) // 403
      .and(idempotency.header(operation)) // 400
      .and(validate.body(operation)); // 415, then 413, then 400

    const run = async (_event: APIGatewayProxyEvent, context: ApiContext): Promise<ProxyResult> => {
      const request = checks.passed(context);
      const { path, query, body, now } = request;
      const call = { path, query, body, table: request.table, now };
      const found = prefetch(call);
      const { once, stored } = idempotency.startReplay(operation, request);
      const [{ scopes }, prefetched, replayed] = await Promise.all([request.allowed, found, stored]);
      return toProxyResult(replayed ?? (await handle({ ...call, scopes, prefetched, once })));
    };

    const delivery = deliveryOf(operation);
    const { middlewares: observing, logRequest } = observe(operation);
    const stack = middy<APIGatewayProxyEvent, ProxyResult, Error, ApiContext>()
      .use([...observing, ...delivery.middlewares, errorHandler, keyFirst])
      .use([...checks.middlewares])
      .handler(run);

    return delivery.handlerOf(async (event, lambdaContext) => {
      const context = beginRequest(event, lambdaContext, table, clock());
      const { requestLog } = context.request;
      const response = await stack(event, context);
      return { response, settled: requestLog.settled, log: (sent) => logRequest(requestLog, response, sent) };
    });
  };
