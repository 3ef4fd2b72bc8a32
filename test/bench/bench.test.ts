/** What `npm run bench` prints can be read by a program, and what it compares does the same. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Bundles, bundleAll } from "./bundles.ts";
import { addAccountMemberEvent, type Caller, getMessageEvent } from "./events.ts";
import { exactly, figure } from "./figure.ts";
import { startFunction } from "./function.ts";
import { measureBundles } from "./measure/cold.ts";
import { measureCosts } from "./measure/costs.ts";
import type { Workload } from "./measure/workload.ts";
import { startNetwork } from "./network.ts";
import { row, rowWithin, toJson, toTable } from "./row.ts";
import { storeEmails, tables } from "./stored.ts";

let bundles: Bundles;
let remove: () => Promise<void>;
let caller: Caller;
let small: string;
let large: string;

beforeAll(async () => {
  Object.assign(process.env, tables);
  ({ bundles, remove } = await bundleAll());
  const stored = await storeEmails([50 * 1024, 1024 * 1024]);
  caller = stored.caller;
  [small = "", large = ""] = stored.ids;
}, 120_000);

afterAll(() => remove());

const bodiesOf = async (
  bundle: string,
  events: ReturnType<typeof getMessageEvent>[],
  environment: NodeJS.ProcessEnv = {},
) => {
  const started = await startFunction(bundle, environment);
  const { invocations } = await started.run({ events, keepBodies: true });
  await started.stop();
  return invocations.map(({ body = "" }) => JSON.parse(body));
};

describe("ours, floor and peer answer the same", () => {
  const readBoth = (bundle: string) =>
    bodiesOf(bundle, [getMessageEvent(caller, small), getMessageEvent(caller, large)]);

  test.each(["onePage", "floor", "mailsplit", "postal-mime"] as const)(
    "to Get Message: %s",
    async (variant) => {
      const ours = await readBoth(bundles.getMessage.ours);

      const theirs = await readBoth(bundles.getMessage[variant]);

      expect(ours.map(({ id }) => id)).toEqual([small, large]);
      expect(theirs).toEqual(ours);
    },
  );

  test.each(["ours", "floor", "powertools"] as const)("to Add Account Member: %s", async (variant) => {
    const [member] = await bodiesOf(bundles.addAccountMember[variant], [addAccountMemberEvent(caller)]);

    expect(Object.keys(member)).toEqual(["id", "created_at", "updated_at", "user_id", "account_id", "role"]);
    expect(member).toMatchObject({ account_id: caller.account_id, role: "Developer" });
  });

  test.each(["ours", "powertools"] as const)("to a repeated Idempotency-Key: %s", async (variant) => {
    const event = addAccountMemberEvent(caller);

    const [first, second] = await bodiesOf(bundles.addAccountMember[variant], [event, event]);

    expect(second).toEqual(first);
  });
});

test("a function a network away answers the same", async () => {
  const network = await startNetwork(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  onTestFinished(network.stop);
  const events = [getMessageEvent(caller, small), getMessageEvent(caller, large)];
  const near = await bodiesOf(bundles.getMessage.ours, events);

  const far = await bodiesOf(bundles.getMessage.ours, events, { AWS_ENDPOINT_URL_DYNAMODB: network.url });

  expect(far).toEqual(near);
});

describe("a row", () => {
  test("of the command is one JSON object with the documented fields", async () => {
    const ids = { "50 KiB": small, "1 MiB": large, "5 MiB": large, "25 MiB": large };
    const workload: Workload = { bundles, caller, ids, acrossNetwork: {} };

    const rows = [...(await measureBundles(workload)), ...(await measureCosts(workload))];

    const documented = {
      row: expect.any(String),
      ours: expect.any(Number),
      floor: expect.toBeOneOf([expect.any(Number), null]),
      peer: expect.any(Number),
      ratio: expect.any(Number),
    };
    const printed = rows.map((row) => JSON.parse(toJson(row)));
    expect(printed.length).toBeGreaterThan(8);
    expect(printed).toEqual(printed.map(() => expect.objectContaining(documented)));
    expect(printed).toContainEqual(
      expect.objectContaining({
        row: "Add Account Member with a key (round trips)",
        ours: 2,
        peer: 5,
        goal: "≤ 2",
        met: true,
      }),
    );
  });

  test("divides our median by the side that its goal names, and says whether the goal is met", () => {
    const sides = { ours: figure([3, 1, 2]), floor: exactly(1), peer: exactly(4) };

    const rows = [
      row("a (ms)", sides, { atMost: 0.5, of: "peer" }),
      row("b (ms)", sides, { atLeast: 2.5, of: "floor" }),
      row("c (ms)", sides, { atMost: 3, of: ["ours before", exactly(1)] }),
      rowWithin("d (ms)", sides, 1),
      row("e (ms)", { ours: exactly(1) }),
    ].map((row) => JSON.parse(toJson(row)));

    expect(rows).toMatchObject([
      { ours: 2, ratio: 0.5, goal: "≤ 0.5 × peer", met: true, spread: { ours: [1.5, 2.5] } },
      { ratio: 2, goal: "≥ 2.5 × floor", met: false },
      { ratio: 2, goal: "≤ 3 × ours before", met: true },
      { ratio: 0.5, goal: "≤ 1", met: false },
      { floor: null, peer: null, ratio: null, goal: null, met: null },
    ]);
  });

  test("takes a line of the table", () => {
    const lines = toTable([row("a (ms)", { ours: figure([1, 2, 3]), floor: exactly(1) })]).split("\n");

    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain("| 2 (1.5–2.5) | 1 ");
  });
});
