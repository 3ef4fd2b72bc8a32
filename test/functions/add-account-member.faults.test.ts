import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { listMembers } from "../../lib/members/store.ts";
import { type Fault, type FaultyEngine, startFaultyService, unavailable } from "../harness/faulty-engine.ts";
import { interceptedTable } from "../harness/intercepted-table.ts";
import { bearer, call, newKey, startService, table } from "../harness/service.ts";

let engine: FaultyEngine;
let url: string;
let key: Awaited<ReturnType<typeof newKey>>;
beforeEach(async () => {
  ({ engine, url, key } = await startFaultyService());
});

const transactions = (fault: Parameters<FaultyEngine["failWith"]>[0]) =>
  engine.failWith((operation) => (operation === "TransactWriteItems" ? fault(operation) : undefined));

/** The same fault for the first calls, none for those that follow. */
const first = <T>(times: number, fault: T) => {
  let left = times;
  return () => (left-- > 0 ? fault : undefined);
};

const conflict = {
  error: "TransactionCanceledException",
  fields: { CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }, { Code: "None" }] },
};

/** More with a variable: a crowd of 500 takes half a minute on a quiet machine. */
const crowd = Number(process.env.CROWD ?? 20);

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** How many transactions each caller sent, by something in a transaction that only one caller has. */
const transactionsOf = (engine: FaultyEngine, callerOf: (items: string[]) => string | undefined) => {
  const sent = engine.calls.filter(({ operation }) => operation === "TransactWriteItems");
  return Object.values(Object.groupBy(sent, ({ items }) => callerOf(items) ?? "")).map(
    (calls = []) => calls.length,
  );
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

  const expectFirst = async (response: Response) => {
    expect(response.status).toBe(201);
    expect(response.headers.has("idempotent-replayed")).toBe(false);
    const { id } = (await response.json()) as { id: string };
    expect(await members()).toEqual([id]);
  };

  /** Starts the service on a table that responds to reads only after three reads have arrived. */
  const startHoldingReads = async () => {
    const calls: string[] = [];
    let reads: PromiseWithResolvers<void>[] = [];
    const holding = interceptedTable(table, async ({ constructor: { name } }, proceed) => {
      calls.push(name);
      if (name !== "GetCommand") return proceed();
      const read = Promise.withResolvers<void>();
      reads.push(read);
      if (reads.length === 3) {
        for (const { resolve } of reads) resolve();
        reads = [];
      }
      await read.promise;
      return proceed();
    });
    url = await startService(undefined, holding);
    return calls;
  };
  const threeReads = Array(3).fill("GetCommand");

  test("takes two round trips: all reads together, then one transaction", async () => {
    const calls = await startHoldingReads();

    await expectFirst(await newRequest()());

    expect(calls).toEqual([...threeReads, "TransactWriteCommand"]);
  });

  test("replays in one round trip, and rejects a key that was used otherwise in one, too", async () => {
    const add = newRequest();
    await add();
    const calls = await startHoldingReads();

    expect((await add()).headers.get("idempotent-replayed")).toBe("true");
    expect((await add({ role: "Analyst" })).status).toBe(422);

    expect(calls).toEqual([...threeReads, ...threeReads]);
  });

  test("asks the table the same of a used key, whether the address is a user, a member or nobody", async () => {
    const add = newRequest();
    await add();
    const known = { email: `${randomUUID()}@example.com` };
    await newRequest(await newKey())(known);
    engine.calls.length = 0;

    const answers = [await add(known), await add({ email: `${randomUUID()}@example.com` })];

    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    const [ofUser, ofNobody] = [engine.calls.slice(0, 3), engine.calls.slice(3)];
    expect(ofUser.map(({ operation }) => operation)).toEqual(ofNobody.map(({ operation }) => operation));
  });

  test("answers as if nothing had happened when one answer is lost after the commit", async () => {
    transactions(first(1, "lost after"));

    await expectFirst(await newRequest()());
  });

  test("replays on retry when every answer was lost after the commit", async () => {
    const add = newRequest();
    transactions(() => "lost after");
    const lost = await add();
    engine.failWith(() => undefined);

    const retried = await add();

    expect(lost.status).toBe(503);
    expect(lost.headers.get("retry-after")).toBe("1");
    expect(await lost.json()).toEqual(unavailable);
    expect(retried.status).toBe(201);
    expect(retried.headers.get("idempotent-replayed")).toBe("true");
    const { id } = (await retried.json()) as { id: string };
    expect(await members()).toEqual([id]);
  });

  test("answers as if nothing had happened when the connection is cut once before the commit", async () => {
    transactions(first(1, "cut before"));

    await expectFirst(await newRequest()());
  });

  test("writes nothing while the connection is cut before the commit, and once on retry", async () => {
    const add = newRequest();
    transactions(() => "cut before");
    const cut = await add();
    expect(await members()).toEqual([]);
    engine.failWith(() => undefined);

    await expectFirst(await add());

    expect(cut.status).toBe(503);
  });

  test("waits out conflicts with other transactions", async () => {
    transactions(first(4, conflict));

    await expectFirst(await newRequest()());
  });

  test("tells the caller to come back when conflicts do not end, and writes nothing", async () => {
    engine.table.transactTimeoutMs = 1000;
    transactions(() => conflict);

    const response = await newRequest()();

    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await members()).toEqual([]);
  });

  test(`${crowd} at once with one key, whose transactions conflict: one member, no 503, few transactions`, async () => {
    const add = newRequest();

    const answers = await Promise.all(Array.from({ length: crowd }, () => add()));

    expect(answers.map(({ status }) => status)).toEqual(Array(crowd).fill(201));
    const replayed = answers.filter(({ headers }) => headers.has("idempotent-replayed"));
    expect(replayed).toHaveLength(crowd - 1);
    expect(await members()).toHaveLength(1);
    const ownMember = (items: string[]) => items.find((item) => item.includes("MEMBER#"));
    expect(median(transactionsOf(engine, ownMember))).toBeLessThanOrEqual(3);
  }, 120_000);

  test(`${crowd} at once with a key each, for one email: one 201, no 503, few transactions`, async () => {
    const email = `${randomUUID()}@example.com`;

    const answers = await Promise.all(Array.from({ length: crowd }, () => newRequest()({ email })));

    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array(crowd - 1).fill(409)]);
    expect(await members()).toHaveLength(1);
    const ownKey = (items: string[]) => items.find((item) => item.startsWith("IDEMPOTENCY#"));
    expect(median(transactionsOf(engine, ownKey))).toBeLessThanOrEqual(3);
  }, 120_000);

  test("waits for its own transaction when that is still in progress", async () => {
    transactions(first(4, { error: "TransactionInProgressException" }));

    await expectFirst(await newRequest()());
  });

  test("counts a try whose answer was lost as made, though it hears of it late: this is no replay", async () => {
    const faults: Fault[] = ["lost after", ...Array(4).fill({ error: "TransactionInProgressException" })];
    transactions(() => faults.shift());

    await expectFirst(await newRequest()());
  });

  test("answers 503 while the table is throttled, and a later retry with the key succeeds", async () => {
    const add = newRequest();
    engine.failWith(() => ({ error: "ThrottlingException" }));
    const throttled = await add();
    engine.failWith(() => undefined);

    await expectFirst(await add());

    expect(throttled.status).toBe(503);
    expect(throttled.headers.get("retry-after")).toBe("1");
    expect(await throttled.json()).toEqual(unavailable);
  });

  test("answers 503 when the transaction is throttled item by item", async () => {
    engine.table.transactTimeoutMs = 1000;
    const reasons = [{ Code: "ThrottlingError" }, { Code: "None" }, { Code: "None" }];
    transactions(() => ({ error: "TransactionCanceledException", fields: { CancellationReasons: reasons } }));

    expect((await newRequest()()).status).toBe(503);
  });

  test("answers 500 without detail when DynamoDB refuses for a reason that no retry mends", async () => {
    const reasons = [
      { Code: "ValidationError", Message: "secret detail" },
      { Code: "None" },
      { Code: "None" },
    ];
    transactions(() => ({ error: "TransactionCanceledException", fields: { CancellationReasons: reasons } }));

    const response = await newRequest()();

    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: "Internal server error" });
    expect(response.headers.has("retry-after")).toBe(false);
  });
});
