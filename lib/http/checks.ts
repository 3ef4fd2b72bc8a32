/** The checks of a request, as Middy middlewares. Each check gets what the checks before it have found. */
import type { ApiContext, ApiMiddleware, Received } from "./request.ts";

/** @throws ApiError if the request fails the check */
type Check<Given, Found extends object> = (request: Given) => Found;

export type Checks<Found> = {
  readonly middlewares: readonly ApiMiddleware[];
  /** Adds a check. It runs after the others, so it may use whatever they have found. */
  readonly and: <More extends object>(check: Check<Found, More>) => Checks<Found & More>;
  /** The request with everything that the checks have found. Call it when all of them have passed. */
  readonly passed: (context: ApiContext) => Found;
};

const chain = <Found extends Received>(middlewares: readonly ApiMiddleware[]): Checks<Found> => {
  /** The type is true because Middy runs the middlewares in order, and none after one that throws. */
  const passed = ({ request }: ApiContext) => request as Found;
  const and = <More extends object>(check: Check<Found, More>) => {
    const before = ({ context }: { context: ApiContext }): void => {
      Object.assign(context.request, check(passed(context)));
    };
    return chain<Found & More>([...middlewares, { before }]);
  };
  return { middlewares, and, passed };
};

export const noChecks: Checks<Received> = chain([]);
