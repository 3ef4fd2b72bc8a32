import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { bundle, bundleFile } from "../../../infra/bundling.ts";
import { invoke, type LambdaHandler } from "../../../infra/local/lambda.ts";
import { run } from "../../harness/process.ts";
import { type Behaviour, behaviours } from "../../lambda/behaviours.ts";

const folder = mkdtempSync(join(tmpdir(), "email-api-handlers-"));
bundle("test/lambda/handlers.ts", folder);
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, bundleFile);

/** Runs a handler in a new process, because some handlers end it. `npm run test:lambda` runs them on AWS's runtime client. */
const observed = async ({ handler, becomes }: Behaviour) => {
  const leaves = typeof becomes === "function" ? "leaves" : "";
  const { status, stdout, stderr } = await run(
    `node test/lambda/local-process.ts ${file} ${handler} ${leaves}`,
  );
  if (status === 1) return { ends: stderr };
  return JSON.parse(stdout);
};

test.each(behaviours)("$promise ($handler)", async (behaviour) => {
  const { becomes } = behaviour;

  const survived = await observed(behaviour);

  if (becomes === "the process ends") expect(survived.ends).toContain("Error");
  else if (typeof becomes === "function") expect(becomes(survived), JSON.stringify(survived)).toBe(true);
  else expect(survived.outcome).toEqual(becomes);
});

test("At the deadline, an invocation fails, and a response that has begun breaks off", async () => {
  const { stalls }: { stalls: LambdaHandler<string> } = await import(file);
  const timeoutMilliseconds = 500;

  const { statusCode, body } = await invoke(stalls, "run", { timeoutMilliseconds });
  const never = invoke(() => new Promise<void>(() => {}), "run", { timeoutMilliseconds });

  expect(statusCode).toBe(201);
  await expect(Readable.from(body).toArray()).rejects.toThrow("Task timed out after 0.50 seconds");
  await expect(never).rejects.toThrow("Task timed out after 0.50 seconds");
});
