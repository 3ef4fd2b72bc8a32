import { join } from "node:path";
import { Readable } from "node:stream";
import type { Context } from "aws-lambda";
import { expect, test } from "vitest";
import { invoke, type LambdaHandler, streamifyResponse } from "../../../infra/local/lambda.ts";
import { bundle, bundleFile } from "../../../infra/stack/bundling.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";
import { behaviours, observe } from "../../lambda/behaviours.ts";

const folder = await temporaryFolder();
bundle("test/lambda/handlers.ts", folder);

const file = join(folder, bundleFile);

const handlers: Record<string, LambdaHandler<unknown>> = await import(file);

/** `npm run test:lambda` runs all of these handlers on AWS's runtime client. Here, no handler ends the process. */
test.each(behaviours.filter(({ becomes }) => becomes !== "the process ends"))(
  "$promise ($handler)",
  async ({ handler, becomes }) => {
    const leaves = typeof becomes === "function";
    const survived = await observe((event) => invoke(handlers[handler] as LambdaHandler<unknown>, event), leaves);

    if (leaves) expect(becomes(survived), JSON.stringify(survived)).toBe(true);
    else expect(survived.outcome).toEqual(becomes);
  },
);

test("A function gets an id of its own and the time that is left, and its response arrives as JSON", async () => {
  const handler = async (_: string, context: Context) => {
    const { functionName, awsRequestId } = context;
    const headers = { left: context.getRemainingTimeInMillis(), functionName, awsRequestId, none: undefined as never };
    return { statusCode: 200, headers, body: "" };
  };
  const call = async () => (await invoke(handler, "run", { functionName: "Mine", timeoutMilliseconds: 5000 })).headers;

  const [first, second] = [await call(), await call()];

  expect(Object.keys(first)).toEqual(["left", "functionName", "awsRequestId"]);
  expect(first.functionName).toBe("Mine");
  expect(first.awsRequestId).not.toBe(second.awsRequestId);
  expect(first.left).toBeGreaterThan(0);
  expect(first.left).toBeLessThanOrEqual(5000);
});

test("A response whose function returns before its end breaks off", async () => {
  const handler = streamifyResponse<string>(async (_, stream) => {
    awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: {} }).write("begun");
  });

  const { body } = await invoke(handler, "run");

  await expect(Readable.from(body).toArray()).rejects.toThrow("Response stream is not finished.");
});

test("At the deadline, an invocation fails, and a response that has begun breaks off", async () => {
  const { stalls }: { stalls: LambdaHandler<string> } = await import(file);
  const timeoutMilliseconds = 3000; // A busy machine must begin the response before the deadline.

  const { statusCode, body } = await invoke(stalls, "run", { timeoutMilliseconds });
  const never = invoke(() => new Promise<void>(() => {}), "run", { timeoutMilliseconds });
  never.catch(() => {}); // A busy machine may reject this promise before the assertion.

  expect(statusCode).toBe(201);
  await expect(Readable.from(body).toArray()).rejects.toThrow("Task timed out after 3.00 seconds");
  await expect(never).rejects.toThrow("Task timed out after 3.00 seconds");
});
