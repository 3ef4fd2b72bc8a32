/** One request on its way through the middleware stack. */
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type * as z from "zod/mini";
import type { ApiKey } from "../api-keys/store.ts";
import type { Table } from "../table/table.ts";
import type { Operation } from "./operations.ts";
import type { ProxyResult } from "./response.ts";

/** A body schema's output; `undefined` for an operation that takes no body. */
export type Body<O extends Operation> = O["body"] extends z.ZodMiniType ? z.output<O["body"]> : undefined;

/** What a caller asked for, once it has been found valid. */
export type Input<O extends Operation> = {
  path: z.output<O["parameters"]>;
  body: Body<O>;
  /** Equal for requests with the same method, path and body values. */
  fingerprint: string;
  idempotencyKey: string | undefined;
};

/**
 * What the middlewares hand on. A check that runs early is kept as a function that answers or throws,
 * because errors are reported in the contract's order, not in the order they are found.
 */
export type State = {
  /** The time of the request, in milliseconds since the epoch; `startedAt` is for durations only. */
  now: number;
  startedAt: number;
  table: Table;
  consumedCapacity: number;
  apiKey: Promise<ApiKey | null>;
  path: () => z.output<Operation["parameters"]>;
  input: () => Input<Operation>;
  prefetched: Promise<unknown>;
  principal?: ApiKey;
  /** What the caller hears of as a 5xx, or as a response that breaks off. */
  fault?: Error;
};

/** The state travels in the context, the one object that middlewares and handler both receive. */
export type ApiContext = Context & { state: State };

export type ApiMiddleware = MiddlewareObj<APIGatewayProxyEvent, ProxyResult, Error, ApiContext>;

/** Runs now; answers, or throws what it threw, when it is asked. */
export const eager = <T>(run: () => T): (() => T) => {
  try {
    const value = run();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
};
