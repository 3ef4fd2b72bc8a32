/** How V8 collects in the process of a bundled function. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundle, bundleFile } from "../../../infra/bundling.ts";
import { addAccountMember } from "../../../lib/api/operations.ts";
import { run } from "../../harness/process.ts";

test("Garbage is collected when there is much of it, not in steps beside the work", async () => {
  const folder = mkdtempSync(join(tmpdir(), "email-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  bundle(addAccountMember.file, folder);
  const script = `
    const { PerformanceObserver, constants } = require("node:perf_hooks");
    const kinds = [];
    new PerformanceObserver((list) => kinds.push(...list.getEntries().map(({ detail }) => detail.kind)))
      .observe({ entryTypes: ["gc"] });
    require("${join(folder, bundleFile)}");
    const allocate = (left) => {
      JSON.parse(JSON.stringify(Array(3).fill("A".repeat(450000))));
      if (left > 0) return setImmediate(allocate, left - 1);
      const { NODE_PERFORMANCE_GC_MAJOR: major, NODE_PERFORMANCE_GC_INCREMENTAL: step } = constants;
      const count = (kind) => kinds.filter((one) => one === kind).length;
      setImmediate(() => console.log(JSON.stringify({ major: count(major), steps: count(step) })));
    };
    allocate(200);`;

  const { stdout } = await run(`node -e '${script}'`, {
    variables: { TABLE_NAME: "any", AWS_REGION: "local" },
  });

  const { major, steps } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(major).toBeGreaterThan(0);
  expect(steps).toBe(0);
});
