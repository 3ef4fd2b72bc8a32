/** The chain of steps: when a step starts, and which error the caller receives. */
import { setImmediate } from "node:timers/promises";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { expect, test } from "vitest";
import { ApiError } from "../../../lib/api/errors.ts";
import { type ApiMiddleware, beginRequest, steps } from "../../../lib/api/request.ts";
import { noon, table } from "../../harness/service.ts";

type Run = Parameters<NonNullable<ApiMiddleware["before"]>>[0];

const error = (message: string) => new ApiError({ status: 400, message });
const rejectLater = async (message: string): Promise<never> => {
  await setImmediate();
  throw error(message);
};

/** Runs the middlewares as middy does. Returns the message that the caller receives. */
const errorOf = async (chain: { middlewares: readonly ApiMiddleware[] }): Promise<string | undefined> => {
  const event = { headers: {} } as APIGatewayProxyEvent;
  const context = beginRequest(event, { awsRequestId: "1" } as Context, table, noon);
  const request: Run = { event, context, response: undefined, error: undefined, internal: {} };
  try {
    for (const { before } of chain.middlewares) before?.(request);
    await steps().settled(context);
  } catch (error) {
    request.error = error as Error;
    for (const { onError } of chain.middlewares) await onError?.(request);
  }
  return request.error?.message;
};

test("If several steps fail, the caller receives the error of the earliest step, even if it fails last", async () => {
  const chain = steps()
    .add(async () => {})
    .add(() => ({ slow: rejectLater("first") }))
    .add(() => rejectLater("second"))
    .add(() => {
      throw error("third");
    });

  expect(await errorOf(chain)).toBe("first");
});

test("A step starts while earlier steps wait", async () => {
  const started: string[] = [];
  const chain = steps()
    .add(async () => {
      started.push("waiting");
      await setImmediate();
      started.push("done");
    })
    .add(() => {
      started.push("next");
    });

  await errorOf(chain);

  expect(started).toEqual(["waiting", "next", "done"]);
});
