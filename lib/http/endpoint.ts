/** Builds an operation's Lambda handler: the shared middlewares, and then the operation itself. */
import middy from "@middy/core";
import httpHeaderNormalizer from "@middy/http-header-normalizer";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Clock } from "../table/expiry.ts";
import { openTable, type Table } from "../table/table.ts";
import { authenticate } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import type { ApiHandler, Delivery } from "./delivery.ts";
import { errorHandler } from "./errors.ts";
import * as idempotency from "./idempotency.ts";
import { observe } from "./observe.ts";
import type { AccountPath, Operation } from "./operations.ts";
import { type ApiContext, beginRequest } from "./request.ts";
import { type ApiResponse, type ProxyResult, toProxyResult } from "./response.ts";
import * as validate from "./validate.ts";

type Call<Path, Query, Body> = { path: Path; query: Query; body: Body; table: Table; now: number };

type Definition<Path extends AccountPath, Query, Body, Prefetched> = {
  operation: Operation<Path, Query, Body>;
  delivery: Delivery;
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
  ) => Promise<ApiResponse> | ApiResponse;
};

/** The returned `createHandler` takes a table and a clock, so tests can pass their own. */
export const endpoint =
  <Path extends AccountPath, Query, Body, Prefetched>({
    operation,
    delivery,
    isPartialScope,
    prefetch,
    handle,
  }: Definition<Path, Query, Body, Prefetched>) =>
  (table: Table = openTable(), clock: Clock = Date.now): ApiHandler => {
    type OwnContext = ApiContext<Path, Query, Body>;

    const run = async (_event: APIGatewayProxyEvent, { request }: OwnContext): Promise<ProxyResult> => {
      const found = prefetch(request);
      const { once, stored } = idempotency.startReplay(operation, request);
      const [{ scopes }, prefetched, replayed] = await Promise.all([request.apiKey, found, stored]);
      return toProxyResult(replayed ?? (await handle({ ...request, scopes, prefetched, once })));
    };

    const { middlewares: observing, logRequest } = observe(operation);
    const stack = middy<APIGatewayProxyEvent, ProxyResult, Error, OwnContext>()
      .use([...observing, httpHeaderNormalizer(), ...delivery.middlewares, errorHandler])
      .use([
        // The order is part of the API: a request with several mistakes gets the error of the first check that fails.
        authenticate, // 401
        validate.path(operation), // 400
        validate.query(operation), // 400
        authorize(operation, isPartialScope), // 401, then 403
        idempotency.header(operation), // 400
        validate.body(operation), // 415, then 413, then 400
      ])
      .handler(run);

    return delivery.handlerOf(async (event, lambdaContext) => {
      const context: OwnContext = beginRequest(event, lambdaContext, table, clock());
      const response = await stack(event, context);
      return { response, log: (sent) => logRequest(context.request.requestLog, response, sent) };
    });
  };
