/** The middlewares that run before and after the `handle` function of every operation. */
import middy from "@middy/core";
import httpHeaderNormalizer from "@middy/http-header-normalizer";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Clock } from "../table/expiry.ts";
import { openTable, type Table } from "../table/table.ts";
import * as authenticate from "./authenticate.ts";
import * as authorize from "./authorize.ts";
import type { ApiHandler, Delivery } from "./handler.ts";
import * as idempotency from "./idempotency.ts";
import { observe } from "./observe.ts";
import type { AccountPath, Operation } from "./operations.ts";
import { type ApiContext, beginRequest, steps } from "./request.ts";
import { respond } from "./respond.ts";
import { type ApiResponse, type ProxyResult, toProxyResult } from "./response.ts";
import * as validate from "./validate.ts";

/** The checks of a request in order, with the HTTP status of each error. The caller receives only the first error. */
export type Order = [
  "apiKey", // 401
  "path", // 400
  "query", // 400
  "account", // 401
  "scope", // 403
  "idempotencyKey", // 400
  "mediaType", // 415
  "bodySize", // 413
  "body", // 400
  "prefetch",
  "replay", // 422
];

/** The input of an operation: the validated request, the table, and the time in milliseconds since the epoch. */
type Call<Path, Query, Body> = { path: Path; query: Query; body: Body; table: Table; now: number };

type Definition<Path extends AccountPath, Query, Body, Streams extends boolean, Prefetched> = {
  operation: Operation<Path, Query, Body, Streams>;
  /** `streamed` if the operation streams its responses, otherwise `buffered`. */
  delivery: Delivery<NoInfer<Streams>>;
  /** Returns whether a scope covers only part of the data. `handle` must check that the scope covers the item. */
  isPartialScope?: (scope: string) => boolean;
  /**
   * Reads an item in parallel with the read of the API key. Must make exactly one read. If `prefetch` made a
   * second read after it found an item, the longer response time would reveal that the item exists.
   */
  prefetch: (call: Call<Path, Query, Body>) => Promise<Prefetched>;
  /** Runs the operation after all checks have passed, and returns the response. `scopes` are the API key's scopes. */
  handle: (
    call: Call<Path, Query, Body> & {
      prefetched: Prefetched;
      scopes: readonly string[];
      once: idempotency.Once;
    },
  ) => Promise<ApiResponse> | ApiResponse;
};

/**
 * Returns a function that creates an operation's Lambda handler. The handler authenticates, authorizes and validates
 * the request, calls `handle`, and turns errors into responses. Tests can replace the table and the clock.
 *
 * @example
 * export const createHandler = endpoint({
 *   operation: addAccountMember,
 *   delivery: buffered,
 *   prefetch: ({ body, table }) => findUser(table, body.email),
 *   handle: async ({ path, body, prefetched: user, once }) => { ... },
 * });
 */
export const endpoint =
  <Path extends AccountPath, Query, Body, Streams extends boolean, Prefetched>({
    operation,
    delivery,
    isPartialScope,
    prefetch,
    handle,
  }: Definition<Path, Query, Body, Streams, Prefetched>) =>
  (table: Table = openTable(), clock: Clock = Date.now): ApiHandler<Streams> => {
    const checks = steps<Order>()
      .add(authenticate.apiKey)
      .add(validate.path(operation))
      .add(validate.query(operation))
      .add(authorize.account)
      .add(authorize.scope(operation, isPartialScope))
      .add(idempotency.header(operation))
      .add(validate.mediaType(operation))
      .add(validate.bodySize(operation))
      .add(validate.body(operation))
      .add((call) => ({ prefetched: prefetch(call) }))
      .add(idempotency.replay(operation));

    const run = async (_event: APIGatewayProxyEvent, context: ApiContext) => {
      const request = await checks.settled(context);
      const { scopes } = await request.apiKey;
      const prefetched = await request.prefetched;
      return toProxyResult((await request.replayed) ?? (await handle({ ...request, scopes, prefetched })));
    };

    const { middlewares: observing, logRequest } = observe(operation);
    const stack = middy<APIGatewayProxyEvent, ProxyResult, Error, ApiContext>()
      .use([...observing, httpHeaderNormalizer(), ...delivery.middlewares, respond, ...checks.middlewares])
      .handler(run);

    return delivery.handlerOf(async (event, lambdaContext) => {
      const context = beginRequest(event, lambdaContext, table, clock());
      const response = await stack(event, context);
      return { response, log: (sent) => logRequest(context.request.requestLog, response, sent) };
    });
  };
