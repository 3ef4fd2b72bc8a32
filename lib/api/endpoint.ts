/** The one middleware stack: what every operation does alike, around the one thing that it does itself. */
import middy from "@middy/core";
import { executionModeStandard } from "@middy/core/executionModeStandard";
import httpHeaderNormalizer from "@middy/http-header-normalizer";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { ApiKey } from "../api-keys/store.ts";
import type { Clock } from "../table/expiry.ts";
import { metered } from "../table/metered.ts";
import { openTable, type Table } from "../table/table.ts";
import { authenticate, authorize } from "./authenticate.ts";
import { compress } from "./compress.ts";
import { type Once, once } from "./idempotency.ts";
import { observe } from "./observe.ts";
import type { Operation } from "./operations.ts";
import type { ApiContext, ApiMiddleware, Input } from "./request.ts";
import { respond } from "./respond.ts";
import type { ProxyResult, Response } from "./response.ts";
import { streamResponse } from "./stream-response.ts";
import { validate } from "./validate.ts";

/** What an operation is given: the valid input, the table and the time of the request in milliseconds. */
type Call<O extends Operation> = Pick<Input<O>, "path" | "body"> & { table: Table; now: number };

type Definition<O extends Operation, Prefetched> = {
  operation: O;
  /** Starts while the key is looked up, so that authentication costs no round trip of its own. */
  prefetch: (call: Call<O>) => Promise<Prefetched>;
  /** Grants what the operation's scope does not, by what was prefetched. */
  permits?: (principal: ApiKey, prefetched: Prefetched) => boolean;
  /** Runs only after the key, its account and its scope are checked, and the input is valid. */
  handle: (call: Call<O> & { prefetched: Prefetched; once: Once }) => Promise<Response> | Response;
};

export type ApiHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<ProxyResult>;

/**
 * Builds an operation's Lambda handler: authentication, validation, errors and compression around
 * `handle`. The table and the clock are the caller's to choose; Lambda's are the defaults.
 *
 * @example
 * export const serve = endpoint({
 *   operation: getMessage,
 *   prefetch: ({ path, table, now }) => findMessage(table, path.account_id, path.message_id, now),
 *   handle: ({ prefetched: message }) => ({ status: 200, body: messageBody(message) }),
 * });
 * export const handler = serve();
 */
export const endpoint =
  <O extends Operation, Prefetched>(definition: Definition<O, Prefetched>) =>
  (table: Table = openTable(), clock: Clock = Date.now): ApiHandler => {
    const { operation, prefetch, permits, handle } = definition;

    const open: ApiMiddleware = {
      before: ({ event, context }) => {
        event.headers ??= {}; // a test event from the console may have none
        const state = {
          now: clock(),
          startedAt: performance.now(),
          consumedCapacity: 0,
        } as ApiContext["state"];
        state.table = metered(table, (units) => {
          state.consumedCapacity += units;
        });
        context.state = state;
      },
    };

    const startPrefetch: ApiMiddleware = {
      before: ({ context: { state } }) => {
        // Of input that is not valid, validate tells the caller: there is nothing to fetch.
        state.prefetched = (async () => prefetch({ ...state, ...(state.input() as Input<O>) }))();
        state.prefetched.catch(() => {}); // reported by who awaits it, unless an earlier error is
      },
    };

    const run = async (_event: APIGatewayProxyEvent, { state }: ApiContext): Promise<Response> => {
      const { path, body, idempotencyKey, fingerprint } = state.input() as Input<O>;
      const { table, now } = state;
      const prefetched = (await state.prefetched) as Prefetched;
      const use = { account_id: path.account_id, key: idempotencyKey, fingerprint };
      return handle({ path, body, table, now, prefetched, once: once(table, use, now) });
    };

    const { middlewares: observing, requestEnd } = observe(operation);
    const executionMode = operation.streams ? streamResponse : executionModeStandard;
    return middy({ executionMode, requestEnd: requestEnd as never })
      .use([
        open,
        ...observing,
        httpHeaderNormalizer() as ApiMiddleware,
        compress(),
        respond(),
        authenticate(),
        validate(operation),
        startPrefetch,
        authorize(operation, permits as Parameters<typeof authorize>[1]),
      ])
      .handler(run as never) as unknown as ApiHandler;
  };
