/** The one middleware stack: what every operation does alike, around the one thing that it does itself. */
import middy from "@middy/core";
import { executionModeStandard } from "@middy/core/executionModeStandard";
import httpHeaderNormalizer from "@middy/http-header-normalizer";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Clock } from "../table/expiry.ts";
import { openTable, type Table } from "../table/table.ts";
import * as authenticate from "./authenticate.ts";
import * as authorize from "./authorize.ts";
import { compress } from "./compress.ts";
import type { ApiHandler } from "./handler.ts";
import * as idempotency from "./idempotency.ts";
import { observe } from "./observe.ts";
import type { AccountPath, Operation } from "./operations.ts";
import { type ApiContext, beginRequest, steps } from "./request.ts";
import { type ApiResponse, respond, toProxyResult } from "./response.ts";
import { streamResponse } from "./stream-response.ts";
import * as validate from "./validate.ts";

/** What an operation is given: the valid input, the table and the time of the request in milliseconds. */
type Call<Path, Body> = { path: Path; body: Body; table: Table; now: number };

type Definition<Path extends AccountPath, Body, Streams extends boolean, Prefetched> = {
  operation: Operation<Path, Body, Streams>;
  /** Starts while the key is looked up, so that authentication costs no round trip of its own. */
  prefetch: (call: Call<Path, Body>) => Promise<Prefetched>;
  /** Grants what the operation's scope does not, by what was prefetched. */
  permits?: authorize.Permit<Prefetched>;
  /** Runs only after the key, its account and its scope are checked, and the input is valid. */
  handle: (
    call: Call<Path, Body> & { prefetched: Prefetched; once: idempotency.Once },
  ) => Promise<ApiResponse> | ApiResponse;
};

/**
 * Builds the maker of an operation's Lambda handler: authentication, validation, errors and compression around
 * `handle`. The table and the clock are the caller's to choose; Lambda's are the defaults.
 *
 * @example
 * export const createHandler = endpoint({
 *   operation: getMessage,
 *   prefetch: ({ path, table, now }) => findMessage(table, path.account_id, path.message_id, now),
 *   handle: ({ prefetched: message }) => ({ status: 200, body: messageBody(message) }),
 * });
 * export const handler = createHandler();
 */
export const endpoint =
  <Path extends AccountPath, Body, Streams extends boolean, Prefetched>(
    definition: Definition<Path, Body, Streams, Prefetched>,
  ) =>
  (table: Table = openTable(), clock: Clock = Date.now): ApiHandler<Streams> => {
    const { operation, prefetch, permits, handle } = definition;

    // The contract's order: whatever else is wrong, a caller hears of the first that is.
    const checks = steps()
      .add(authenticate.credentials) //              401
      .add(authenticate.apiKey) //                      401
      .add(validate.path(operation)) //              400
      .check(authorize.account) //                   401
      .check(authorize.scope(operation, permits)) // 403
      .add(idempotency.header(operation)) //            400
      .check(validate.mediaType(operation)) //       415
      .check(validate.bodySize(operation)) //        413
      .add(validate.json(operation)) //              400
      .add(validate.body(operation)) //              400
      .add(({ path, body, table, now }) => ({ prefetched: prefetch({ path, body, table, now }) }))
      .check(authorize.permit(operation, permits)) // 403, where what was prefetched decides
      .add(idempotency.replay(operation)); //         422, or the first response

    const run = async (_event: APIGatewayProxyEvent, context: ApiContext) => {
      const { path, body, table, now, prefetched, replayed, once } = await checks.settled(context);
      const response = await replayed;
      if (response) return toProxyResult(response);
      return prefetched.then(async (found) =>
        toProxyResult(await handle({ path, body, table, now, prefetched: found, once })),
      );
    };

    const { middlewares: observing, requestEnd } = observe(operation);
    const executionMode = operation.streams ? streamResponse : executionModeStandard;
    return middy({ executionMode, requestEnd })
      .use([
        beginRequest(table, clock),
        ...observing,
        httpHeaderNormalizer(),
        compress(),
        respond,
        ...checks.middlewares,
      ])
      .handler(run) as unknown as ApiHandler<Streams>;
  };
