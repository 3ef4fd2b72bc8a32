/** How V8 collects in the process of a bundled function. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundle, bundleFile } from "../../../infra/bundling.ts";
import { addAccountMember } from "../../../lib/api/operations.ts";
import { run } from "../../harness/process.ts";

/** Allocates as a large message does, so many times or until V8 marks in steps. Prints how often it did both. */
const allocate = (times: number, prepare = "") => `
  const { PerformanceObserver, constants } = require("node:perf_hooks");
  let steps = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) steps += detail.kind === constants.NODE_PERFORMANCE_GC_INCREMENTAL;
  }).observe({ entryTypes: ["gc"] });
  ${prepare}
  const allocate = (done) => {
    JSON.parse(JSON.stringify(Array(3).fill("A".repeat(450000))));
    if (done < ${times} && steps === 0) setImmediate(allocate, done + 1);
    else console.log(JSON.stringify({ steps, done }));
  };
  allocate(0);`;

test("Garbage is collected when there is much of it, not in steps beside the work", async () => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  bundle(addAccountMember.file, folder);
  const counting = async (script: string) => {
    const variables = { TABLE_NAME: "any", AWS_REGION: "local" };
    return JSON.parse((await run(`node -e '${script}'`, { variables })).stdout);
  };

  const { done } = await counting(allocate(Number.POSITIVE_INFINITY));
  const bundled = await counting(allocate(3 * done, `require("${join(folder, bundleFile)}");`));

  expect(bundled).toEqual({ steps: 0, done: 3 * done });
});
