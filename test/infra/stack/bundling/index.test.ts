/** The process of a deployed function: the modules that it loads, and how it collects garbage. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundle, entryFile } from "../../../../infra/stack/bundling.ts";
import { addAccountMember } from "../../../../lib/http/operations.ts";
import { addAccountMemberEvent } from "../../../bench/events.ts";
import { run } from "../../../harness/process.ts";
import { temporaryFolder } from "../../../harness/temporary-folder.ts";

const folder = await temporaryFolder();
bundle(addAccountMember.file, folder);
const entry = join(folder, entryFile);

/** Runs a script as an ES module. Returns the last line of its output. */
const evaluate = async (script: string): Promise<unknown> => {
  const { stdout } = await run(`node --input-type=module -e '${script}'`, {
    variables: {
      TABLE_NAME: "any",
      AWS_ENDPOINT_URL_DYNAMODB: "https://127.0.0.1:1", // nothing listens there
      AWS_REGION: "local",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    },
  });
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
};

test("A function that calls DynamoDB over TLS loads no Web Crypto, web streams, fetch or files for it", async () => {
  const event = JSON.stringify(addAccountMemberEvent({ account_id: crypto.randomUUID(), secret: "emk_any" }));
  const loaded = `process.moduleLoadList.filter((name) => /webcrypto|webstreams|undici|fs.promises|e tls$/.test(name))`;

  const outcome = await evaluate(`
    const before = new Set(${loaded});
    const { handler } = await import("${entry}");
    const { statusCode } = await handler(${event}, { getRemainingTimeInMillis: () => 28_000 });
    console.log(JSON.stringify({ statusCode, loaded: ${loaded}.filter((name) => !before.has(name)) }));`);

  expect(outcome).toEqual({ statusCode: 503, loaded: ["NativeModule tls"] });
});

/** Allocates as a large message does, so many times or until V8 marks in steps. Prints how often it did both. */
const allocate = (times: number, prepare = "") => `
  import { PerformanceObserver, constants } from "node:perf_hooks";
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

test("V8 marks the heap at once, not in steps beside a response", async () => {
  const { done } = (await evaluate(allocate(Number.POSITIVE_INFINITY))) as { done: number };

  const deployed = await evaluate(allocate(3 * done, `await import("${entry}");`));

  expect(deployed).toEqual({ steps: 0, done: 3 * done });
});
