/** The chain of steps: what starts when, and whose failed is heard. */
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { expect, test } from "vitest";
import { ApiError } from "../../../lib/api/errors.ts";
import { type ApiContext, type ApiMiddleware, beginRequest, steps } from "../../../lib/api/request.ts";
import { noon, table } from "../../harness/service.ts";

type Run = Parameters<NonNullable<ApiMiddleware["before"]>>[0];

const failed = (message: string) => new ApiError({ status: 400, message });
const later = async (error: Error): Promise<never> => {
  await new Promise((resolve) => setImmediate(resolve));
  throw error;
};

/** Runs the middlewares as middy does; returns the error that the caller hears of. */
const errorOf = async (chain: { middlewares: readonly ApiMiddleware[] }): Promise<string | undefined> => {
  const event = { headers: {} } as APIGatewayProxyEvent;
  const context = { awsRequestId: "1" } as Context as ApiContext;
  const request: Run = { event, context, response: undefined, error: undefined, internal: {} };
  beginRequest(table, () => noon).before?.(request);
  try {
    for (const { before } of chain.middlewares) before?.(request);
    await steps().settled(context);
  } catch (error) {
    request.error = error as Error;
    for (const { onError } of chain.middlewares) await onError?.(request);
  }
  return request.error?.message;
};

test("A request that no step refuses passes", async () => {
  expect(await errorOf(steps().add(() => ({ a: 1, b: Promise.resolve(2) })))).toBeUndefined();
});

test("A failed is heard after those of the steps before it, though they take longer", async () => {
  const chain = steps()
    .add(() => ({ slow: later(failed("first")) }))
    .check(() => {
      throw failed("second");
    });

  expect(await errorOf(chain)).toBe("first");
});

test("A failed is heard when the steps before it pass, and none after it", async () => {
  const chain = steps()
    .check(async () => {})
    .check(() => later(failed("first")))
    .check(() => later(failed("second")));

  expect(await errorOf(chain)).toBe("first");
});

test("A step starts while the ones before it wait", async () => {
  const started: string[] = [];
  const chain = steps()
    .check(async () => {
      started.push("waiting");
      await new Promise((resolve) => setImmediate(resolve));
      started.push("done");
    })
    .check(() => {
      started.push("next");
    });

  await errorOf(chain);

  expect(started).toEqual(["waiting", "next", "done"]);
});
