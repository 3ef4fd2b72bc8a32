import { beforeEach, describe, expect, test, vi } from "vitest";
import { operations } from "../../lib/http/operations.ts";
import type { Table } from "../../lib/table/table.ts";
import { type CapturedOutput, captureOutput } from "../harness/captured-output.ts";
import { type Fault, startFaultyEngine } from "../harness/faulty-engine.ts";

let output: CapturedOutput;
/** Stands for the 500 ms of a warm-up, so that a busy machine does not end the warm-up. */
let timeout: AbortController;
beforeEach(() => {
  output = captureOutput();
  timeout = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(timeout.signal);
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
});

const engine = await startFaultyEngine();

describe.each([...operations.map(({ file }) => file), "functions/record-events.ts"])("%s", (file) => {
  const warmUp = async (fault?: Fault): Promise<void> => {
    const module: { warmUp: (on: Table) => Promise<void> } = await import(
      new URL(`../../${file}`, import.meta.url).href
    );
    engine.calls.length = 0;
    engine.failWith(() => fault);
    const ended = module.warmUp(engine.table);
    await vi.waitUntil(() => engine.calls.length > 0, { timeout: 60_000 });
    if (fault) timeout.abort();
    await ended;
  };

  test("warms up with reads only, and leaves no log line and no metric", async () => {
    await warmUp();

    const reads = engine.calls.filter(({ operation }) => ["GetItem", "Query"].includes(operation));
    expect(reads).toEqual(engine.calls);
    expect(output.text()).toBe("");
    for (const stream of [process.stdout, process.stderr]) stream.write("A line of the first request. ");
    expect(output.text()).toBe("A line of the first request. ".repeat(2));
  });

  test.runIf(file !== "functions/record-events.ts")(
    "warms up with four requests, and the reads that each makes beside the key's",
    async () => {
      await warmUp();

      expect(engine.calls.some(({ alongside }) => alongside > 0)).toBe(true);
      expect(engine.calls.filter(({ consistent }) => consistent)).toHaveLength(4); // the reads of the key
    },
  );

  const faults: Fault[] = ["cut before", "silent", "stalls", { error: "ThrottlingException" }];
  test.each(faults)("ends its warm-up after 500 ms if the table fails: %j", async (fault) => {
    await warmUp(fault);

    expect(AbortSignal.timeout).toHaveBeenCalledWith(500);
    expect(output.text()).toBe("");
  });
});
