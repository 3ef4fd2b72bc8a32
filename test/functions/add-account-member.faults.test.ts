import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { listMembers } from "../../lib/members/store.ts";
import { type Fault, type FaultyEngine, startFaultyService, unavailable } from "../harness/faulty-engine.ts";
import { interceptedTable } from "../harness/intercepted-table.ts";
import { bearer, call, newKey, startService, table } from "../harness/service.ts";

let engine: FaultyEngine;
let url: string;
let key: Awaited<ReturnType<typeof newKey>>;
beforeEach(async () => {
  // On a busy machine, twenty requests at the same time can wait longer than the usual 3 s for the engine.
  ({ engine, url, key } = await startFaultyService({ timeoutMs: 60_000 }));
});

const failTransactions = (fault: () => Fault | undefined) =>
  engine.failWith((operation) => (operation === "TransactWriteItems" ? fault() : undefined));

const cancelled = (...codes: string[]): Fault => ({
  error: "TransactionCanceledException",
  fields: { CancellationReasons: codes.map((Code) => ({ Code, Message: "secret detail" })) },
});
const conflict = cancelled("None", "TransactionConflict", "None");
const inProgress: Fault = { error: "TransactionInProgressException" };

/** The number of requests that arrive together. CROWD sets a larger number, for a quiet machine. */
const crowd = Number(process.env.CROWD ?? 20);

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** Returns the number of transactions of each caller. `callerOf` finds an item that only one caller writes. */
const transactionsOf = (callerOf: (items: string[]) => string | undefined): number[] => {
  const sent = engine.calls.filter(({ operation }) => operation === "TransactWriteItems");
  return [...Map.groupBy(sent, ({ items }) => callerOf(items)).values()].map(({ length }) => length);
};

describe("Adding a member", () => {
  const newRequest = ({ secret, account_id } = key) => {
    const headers = {
      ...bearer(secret),
      "Content-Type": "application/json",
      "Idempotency-Key": randomUUID(),
    };
    const body = { email: `${randomUUID()}@example.com`, role: "Developer" };
    return (fields = {}) =>
      call(`${url}/v2/accounts/${account_id}/members`, {
        method: "POST",
        headers,
        body: JSON.stringify({ ...body, ...fields }),
      });
  };

  const members = async () => (await listMembers(table, key.account_id)).map(({ id }) => id);

  const expectAdded = async (response: Response, replayed: "true" | null = null) => {
    expect(response.status).toBe(201);
    expect(response.headers.get("idempotent-replayed")).toBe(replayed);
    const { id } = (await response.json()) as { id: string };
    expect(await members()).toEqual([id]);
  };

  const expectUnavailable = async (response: Response) => {
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toMatch(/^[123]$/);
    expect(await response.json()).toEqual(unavailable);
  };

  /** The reads of the API key, the user and the stored response. */
  const allReads = ["GetCommand", "GetCommand", "GetCommand"];

  /** Starts the service on a table that responds to reads only after all reads have arrived. */
  const startHoldingReads = async () => {
    const calls: string[] = [];
    let reads: PromiseWithResolvers<void>[] = [];
    const holding = interceptedTable(table, async ({ constructor: { name } }, proceed) => {
      calls.push(name);
      if (!allReads.includes(name)) return proceed();
      const read = Promise.withResolvers<void>();
      reads.push(read);
      if (reads.length === allReads.length) {
        for (const { resolve } of reads) resolve();
        reads = [];
      }
      await read.promise;
      return proceed();
    });
    url = await startService(undefined, holding);
    return calls;
  };
  test("takes two round trips: all reads at the same time, then one transaction", async () => {
    const calls = await startHoldingReads();

    await expectAdded(await newRequest()());

    expect(calls).toEqual([...allReads, "TransactWriteCommand"]);
  });

  test("takes one round trip for a replay, and for a key that was used with a different request", async () => {
    const add = newRequest();
    await add();
    const calls = await startHoldingReads();

    expect((await add()).headers.get("idempotent-replayed")).toBe("true");
    expect((await add({ role: "Analyst" })).status).toBe(422);

    expect(calls).toEqual([...allReads, ...allReads]);
  });

  test("sends the same calls for a used key, whether the email belongs to a user or to nobody", async () => {
    const add = newRequest();
    await add();
    const known = { email: `${randomUUID()}@example.com` };
    await newRequest(await newKey())(known);
    const callsFor = async (fields: object) => {
      engine.calls.length = 0;
      expect((await add(fields)).status).toBe(422);
      return engine.calls.map(({ operation }) => operation);
    };

    expect(await callsFor(known)).toEqual(await callsFor({ email: `${randomUUID()}@example.com` }));
  });

  test.each<[string, Fault[]]>([
    ["whose response is lost", ["lost after"]],
    ["whose connection is cut", ["cut before"]],
    ["in conflict with others", Array(4).fill(conflict)],
    [
      "in conflict, although a condition failed too",
      [cancelled("ConditionalCheckFailed", "TransactionConflict", "None")],
    ],
    [
      "that is throttled, although a condition failed too",
      [cancelled("ConditionalCheckFailed", "ThrottlingError", "None")],
    ],
    ["that is still in progress", Array(4).fill(inProgress)],
    ["whose response is lost while it is in progress", ["lost after", ...Array(4).fill(inProgress)]],
  ])("retries a transaction %s, and its response is no replay", async (_, faults) => {
    failTransactions(() => faults.shift());

    await expectAdded(await newRequest()());
  });

  test("returns a replay to the caller's retry if every response was lost after the commit", async () => {
    const add = newRequest();
    failTransactions(() => "lost after");
    await expectUnavailable(await add());
    engine.failWith(() => undefined);

    await expectAdded(await add(), "true");
  });

  test.each<[string, (operation: string) => Fault | undefined]>([
    ["connections are cut", (operation) => (operation === "TransactWriteItems" ? "cut before" : undefined)],
    ["the table is throttled", () => ({ error: "ThrottlingException" })],
  ])("responds with 503 and writes nothing while %s, and the caller's retry adds the member", async (_, fault) => {
    const add = newRequest();
    engine.failWith(fault);
    await expectUnavailable(await add());
    expect(await members()).toEqual([]);
    engine.failWith(() => undefined);

    await expectAdded(await add());
  });

  test.each(["ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"])(
    "responds with 503 and writes nothing if an item stays throttled, after about a second: %s",
    async (code) => {
      vi.spyOn(Math, "random").mockReturnValue(0.999); // the longest waits: 25, 50, 100, 200 and 400 ms
      failTransactions(() => cancelled(code, "None", "None"));

      const response = await newRequest()();

      vi.mocked(Math.random).mockRestore();
      expect(response.status).toBe(503);
      expect(await members()).toEqual([]);
      const [sent = 0] = transactionsOf(() => "ours");
      expect(sent).toBeGreaterThan(1);
      expect(sent).toBeLessThan(8);
    },
  );

  test("responds with 503 and writes nothing if conflicts last longer than 20 seconds", async () => {
    const timeoutAfter = AbortSignal.timeout;
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeoutAfter(Math.ceil(ms / 20)));
    onTestFinished(() => timeout.mockRestore());
    failTransactions(() => conflict);

    await expectUnavailable(await newRequest()());

    expect(timeout).toHaveBeenCalledWith(20_000);
    expect(await members()).toEqual([]);
  });

  test("responds with 500 without details if DynamoDB rejects the transaction", async () => {
    failTransactions(() => cancelled("ValidationError", "None", "None"));

    const response = await newRequest()();

    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: "Internal server error" });
    expect(response.headers.has("retry-after")).toBe(false);
  });

  test(`adds one member for ${crowd} requests at the same time with one key, in few transactions`, async () => {
    const add = newRequest();

    const responses = await Promise.all(Array.from({ length: crowd }, () => add()));

    expect(responses.map(({ status }) => status)).toEqual(Array(crowd).fill(201));
    const replays = responses.filter(({ headers }) => headers.has("idempotent-replayed"));
    expect(replays).toHaveLength(crowd - 1);
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect(await members()).toHaveLength(1);
    const ownMember = (items: string[]) => items.find((item) => item.includes("MEMBER#"));
    expect(median(transactionsOf(ownMember))).toBeLessThanOrEqual(3);
  });

  test(`adds one member for ${crowd} requests at the same time with one email, in few transactions`, async () => {
    const email = `${randomUUID()}@example.com`;

    const responses = await Promise.all(Array.from({ length: crowd }, () => newRequest()({ email })));

    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array(crowd - 1).fill(409)]);
    expect(await members()).toHaveLength(1);
    const ownKey = (items: string[]) => items.find((item) => item.startsWith("IDEMPOTENCY#"));
    expect(median(transactionsOf(ownKey))).toBeLessThanOrEqual(3);
  });
});
