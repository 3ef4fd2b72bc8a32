import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { invoke, type LambdaHandler } from "../../../infra/local/lambda.ts";
import { bundle, bundleFile } from "../../../infra/stack/bundling.ts";
import { run } from "../../harness/process.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";
import { type Behaviour, behaviours, observe } from "../../lambda/behaviours.ts";

const folder = await temporaryFolder();
bundle("test/lambda/handlers.ts", folder);

const file = join(folder, bundleFile);

/** Runs a handler in a new process, because the handler ends it, or changes the state of its module. */
const runInProcess = async ({ handler, becomes }: Behaviour) => {
  const leaves = typeof becomes === "function" ? "leaves" : "";
  const { status, stdout, stderr } = await run(`node test/lambda/local-process.ts ${file} ${handler} ${leaves}`);
  return status === 1 ? { ends: stderr } : JSON.parse(stdout);
};

const runHere = async ({ handler }: Behaviour) => {
  const handlers: Record<string, LambdaHandler<unknown>> = await import(file);
  return observe((event) => invoke(handlers[handler] as LambdaHandler<unknown>, event), false);
};

/** `npm run test:lambda` runs the same handlers on AWS's runtime client. */
test.each(behaviours)("$promise ($handler)", async (behaviour) => {
  const { becomes } = behaviour;

  const survived = typeof becomes === "object" ? await runHere(behaviour) : await runInProcess(behaviour);

  if (becomes === "the process ends") expect(survived.ends).toContain("Error");
  else if (typeof becomes === "function") expect(becomes(survived), JSON.stringify(survived)).toBe(true);
  else expect(survived.outcome).toEqual(becomes);
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
