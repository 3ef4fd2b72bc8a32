/** The work that each function does in Lambda's init phase. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { operations } from "../../lib/api/operations.ts";
import { getItem } from "../../lib/table/get.ts";
import type { ItemKey } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { type CapturedOutput, captureOutput } from "../harness/captured-output.ts";
import { interceptedTable } from "../harness/intercepted-table.ts";
import { permissionFor, permissionsOf } from "../harness/permissions.ts";
import { table } from "../harness/service.ts";
import { ofType, templateWith } from "../harness/synthesise.ts";

let output: CapturedOutput;
/** Stands for the 500 ms of every warm-up. A busy machine must not end them. */
let timeout: AbortController;
beforeEach(() => {
  output = captureOutput();
  timeout = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(timeout.signal);
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
  return output.restore;
});

const functions = [
  ...operations.map(({ file, method, path }) => ({ file, description: `${method} ${path}` })),
  { file: "functions/record-events.ts", description: "Records what comes in by the queue" },
];

describe.each(functions)("$file", ({ file, description }) => {
  const load = async (): Promise<{ warmUp: (on: Table) => Promise<string> }> =>
    import(new URL(`../../${file}`, import.meta.url).href);

  test("serves two sample requests, and leaves no log line and no metric", async () => {
    const { warmUp } = await load();

    const discarded = await warmUp(table);

    const lines = discarded.trim().split("\n");
    const requests = lines.map((line) => JSON.parse(line)).filter(({ message }) => message);
    const outcomes = requests.map(({ status, outcome }) => outcome ?? status);
    const success = expect.toBeOneOf([200, 201, 204, "recorded"]);
    expect(outcomes).toEqual([success, success]);
    expect(output.text()).toBe("");
  });

  test("reads items that do not exist, as its policy allows, and writes nothing", async () => {
    const { warmUp } = await load();
    const calls: { command: string; key: ItemKey }[] = [];
    const counted = interceptedTable(table, (command, proceed) => {
      calls.push({ command: command.constructor.name, key: command.input.Key as ItemKey });
      return proceed();
    });

    await warmUp(counted);

    const [resource] = ofType(templateWith({ intake: "true" }), "AWS::Lambda::Function").filter(
      ({ Properties }) => Properties.Description === description,
    );
    const permissions = resource ? permissionsOf(templateWith({ intake: "true" }), resource) : [];
    expect(calls.length).toBeGreaterThan(0);
    for (const { command, key } of calls) {
      expect(command).toBe("GetCommand");
      expect(await getItem(table, key)).toBeUndefined();
      expect(permissionFor(permissions, { action: "dynamodb:GetItem", key: key.pk })).toBeDefined();
    }
  });

  test("ends without an error if the table fails", async () => {
    const { warmUp } = await load();

    await warmUp(interceptedTable(table, () => Promise.reject(new Error("The network failed"))));

    expect(output.text()).toBe("");
  });

  test("ends after 500 ms if the table hangs", async () => {
    const { warmUp } = await load();

    const ended = warmUp(interceptedTable(table, () => new Promise(() => {})));
    timeout.abort();

    await ended;
    expect(AbortSignal.timeout).toHaveBeenCalledWith(500);
  });
});
