/** Lives through the months of many seeds. A failure is reported with its seed and the fewest steps that still fail. */
import { onTestFinished, vi } from "vitest";
import "../../infra/local/lambda.ts";
import { openTable } from "../../lib/table/table.ts";
import { buildGate } from "../world/gate.ts";
import { replaceTime } from "../world/time.ts";
import { live, type Month, newPlan, type Plan } from "./month.ts";
import { shortest } from "./shortest.ts";
import { type Handlers, tableName } from "./world.ts";

const functions = {
  getMessage: () => import("../../functions/get-message.ts"),
  addAccountMember: () => import("../../functions/add-account-member.ts"),
  recordEvents: () => import("../../functions/record-events.ts"),
};

const describe = ({ seed, rate, kinds, steps }: Plan, failure: Error): string =>
  [
    `Seed ${seed} fails: ${failure.stack}`,
    `With ${rate * 100}% of the calls meeting one of: ${kinds.join(", ")}`,
    ...steps.map(
      ({ at, operation, args, number, cut }) =>
        `  ${new Date(at).toISOString()}  ${operation} ${number}  ${JSON.stringify(args)}${cut === undefined ? "" : `, cut after ${cut} calls`}`,
    ),
  ].join("\n");

/** Everything that the functions write to their log. */
const captureLog = () => {
  let log = "";
  const capture = (chunk: string | Uint8Array) => {
    log += chunk;
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(capture);
  vi.spyOn(process.stderr, "write").mockImplementation(capture);
  return {
    text: () => log,
    clear: () => {
      log = "";
    },
  };
};

/** @returns the counted calls, operations and faults, and a report that is empty if no month fails */
export const liveThrough = async (seeds: Iterable<string>) => {
  vi.stubEnv("POWERTOOLS_LOG_LEVEL", "INFO");
  vi.stubEnv("TABLE_NAME", tableName);
  vi.stubEnv("EMAIL_BUCKET", "emails");
  vi.stubEnv("EVENT_QUEUE_URL", "https://sqs.eu-west-1.amazonaws.com/123456789012/events");
  const [get, add, record] = await Promise.all([
    functions.getMessage(),
    functions.addAccountMember(),
    functions.recordEvents(),
  ]);
  const log = captureLog();
  replaceTime();
  onTestFinished(buildGate());
  const handlers: Handlers = {
    getMessage: get.createHandler(openTable(), () => Date.now()),
    addAccountMember: add.createHandler(openTable(), () => Date.now()),
    recordEvents: record.createHandler(undefined, undefined, () => Date.now()),
  };
  const liveOnce = (plan: Plan): Promise<Month> => {
    log.clear();
    return live(plan, handlers, log.text);
  };
  const counts = new Map<string, number>();
  let months = 0;
  for (const seed of seeds) {
    const plan = newPlan(seed);
    const { failure, counts: more } = await liveOnce(plan);
    months++;
    for (const [what, count] of more) counts.set(what, (counts.get(what) ?? 0) + count);
    if (!failure) continue;
    const fails = async (other: Plan) => (await liveOnce(other)).failure;
    const least = await shortest(plan, failure, fails);
    return { months, counts, report: describe(least.plan, least.failure) };
  }
  return { months, counts, report: "" };
};
