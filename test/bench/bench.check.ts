/** The output of `npm run bench`, and the variants that it compares. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Bundles, bundleAll } from "./bundles.ts";
import { addAccountMemberEvent, type Caller, getMessageEvent, recordEventsEvent } from "./events.ts";
import { exactly, figure } from "./figure.ts";
import { startFunction } from "./function.ts";
import type { Event } from "./function-process.ts";
import { measureBundles } from "./measure/cold-start.ts";
import { measureCosts } from "./measure/costs.ts";
import type { Workload } from "./measure/workload.ts";
import { eventQueue } from "./measure/writes.ts";
import { startNetwork } from "./network.ts";
import { row, rowWithin, toJson, toTable } from "./row.ts";
import { storeEmails, tables } from "./stored.ts";

let bundles: Bundles;
let remove: () => Promise<void>;
let caller: Caller;
let small: string;
let large: string;
/** The message whose opens a test counts. */
let counted: string;

beforeAll(async () => {
  Object.assign(process.env, tables);
  ({ bundles, remove } = await bundleAll());
  const stored = await storeEmails({ small: 50 * 1024, large: 1024 * 1024, counted: 0 });
  caller = stored.caller;
  ({ small, large, counted } = stored.ids);
}, 120_000);

afterAll(() => remove());

const invoke = async (bundle: string, events: Event[], environment?: NodeJS.ProcessEnv) => {
  const started = await startFunction(bundle, environment);
  onTestFinished(started.stop);
  return (await started.run({ events, keepBodies: true })).invocations;
};

const bodiesOf = async (...given: Parameters<typeof invoke>) =>
  (await invoke(...given)).map(({ body = "" }) => JSON.parse(body));

const statusesOf = async (...given: Parameters<typeof invoke>) => (await invoke(...given)).map(({ status }) => status);

describe("Ours, floor and peer return the same response", () => {
  const readBoth = (bundle: string, environment?: NodeJS.ProcessEnv) =>
    bodiesOf(
      bundle,
      [small, large].map((id) => getMessageEvent(caller, id)),
      environment,
    );

  test.each([
    "getMessageWithoutWarmUp",
    "getMessageMarking",
    "getMessageSdkBase64",
    "getMessageFloor",
    "getMessageFloorSameClient",
    "getMessagePeer",
  ] as const)("to Get Message across the network: %s", async (variant) => {
    const network = await startNetwork(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "");
    onTestFinished(network.stop);
    const ours = await readBoth(bundles.getMessage);

    const theirs = await readBoth(bundles[variant], { AWS_ENDPOINT_URL_DYNAMODB: network.url });

    expect(ours.map(({ id }) => id)).toEqual([small, large]);
    expect(theirs).toEqual(ours);
  });

  test.each(["getMessage", "getStatusFloor"] as const)("to fields=status: %s", async (variant) => {
    const events = [getMessageEvent(caller, large, { fields: "status" })];

    expect(await bodiesOf(bundles[variant], events)).toEqual([{ status: "delivered" }]);
  });

  test.each(["addMember", "addMemberWithoutWarmUp", "addMemberFloor", "addMemberPeer"] as const)(
    "to Add Account Member: %s",
    async (variant) => {
      const event = addAccountMemberEvent(caller);
      const events = variant === "addMemberFloor" ? [event] : [event, event]; // the floor has no replays

      const [member, replayed = member] = await bodiesOf(bundles[variant], events);

      const fields = ["id", "created_at", "updated_at", "user_id", "account_id", "role"];
      expect(Object.keys(member)).toEqual(fields);
      expect(member).toMatchObject({ account_id: caller.account_id, role: "Developer" });
      expect(replayed).toEqual(member);
    },
  );

  test.each(["recordEvents", "recordEventsFloor"] as const)("to an open: %s", async (variant) => {
    const opens = () => bodiesOf(bundles.getMessage, [getMessageEvent(caller, counted, { fields: "open_count" })]);
    const [before] = await opens();
    const opened = { type: "message.opened", account_id: caller.account_id, message: { id: counted } };

    await statusesOf(bundles[variant], [recordEventsEvent(opened)], eventQueue);

    expect(await opens()).toEqual([{ open_count: before.open_count + 1 }]);
  });

  test.each(["store", "storePeer"] as const)("to an email to store: %s", async (variant) => {
    const statuses = await statusesOf(bundles[variant], [getMessageEvent(caller, small)], {
      EMAIL_BYTES: "51200",
    });

    expect(statuses).toEqual([200]);
  });
});

describe("A row", () => {
  test("is one JSON object with the documented fields", async () => {
    const ids = { "1 KiB": small, "50 KiB": small, "1 MiB": large, "5 MiB": large, "25 MiB": large };
    const workload: Workload = { bundles, caller, ids, acrossNetwork: {} };

    const rows = [...(await measureBundles(workload)), ...(await measureCosts(workload))];

    const documented = {
      row: expect.any(String),
      ours: expect.any(Number),
      floor: expect.toBeOneOf([expect.any(Number), null]),
      peer: expect.toBeOneOf([expect.any(Number), null]),
      ratio: expect.toBeOneOf([expect.any(Number), null]),
    };
    const printed = rows.map((row) => JSON.parse(toJson(row)));
    expect(printed.length).toBeGreaterThan(7);
    expect(printed).toEqual(printed.map(() => expect.objectContaining(documented)));
    const roundTrips = { row: "Add Account Member with a key (round trips)", ours: 2, peer: 5 };
    expect(printed).toContainEqual(expect.objectContaining(roundTrips));
  });

  test("divides our median by the goal's reference, and says whether the goal is met", () => {
    const sides = { ours: figure([3, 1, 2]), floor: exactly(1), peer: exactly(4) };

    const rows = [
      row("a (ms)", sides, { atMost: 0.5, of: "peer" }),
      row("b (ms)", sides, { atLeast: 2.5, of: "floor" }),
      row("c (ms)", sides, { atMost: 3, of: ["ours before", exactly(1)] }),
      rowWithin("d (ms)", sides, 1),
      row("e (ms)", { ours: exactly(1) }),
    ];

    expect(toTable(rows, new Date(0))).toMatch(/^\| 1970-01-01 .*\n.*\n\| a \(ms\) +\| 2 \(1.5–2.5\) \| 1 /);
    expect(rows.map((row) => JSON.parse(toJson(row)))).toMatchObject([
      { ours: 2, ratio: 0.5, goal: "≤ 0.5 × peer", met: true, spread: { ours: [1.5, 2.5] } },
      { ratio: 2, goal: "≥ 2.5 × floor", met: false },
      { ratio: 2, goal: "≤ 3 × ours before", met: true },
      { ratio: 0.5, goal: "≤ 1", met: false },
      { floor: null, peer: null, ratio: null, goal: null, met: null },
    ]);
  });
});
