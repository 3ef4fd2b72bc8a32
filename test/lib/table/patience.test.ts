/** Who waits while the table is throttled, and for how long. */
import { randomUUID } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { expect, test, vi } from "vitest";
import { getItem, queryRange } from "../../../lib/table/get.ts";
import { listPage } from "../../../lib/table/list.ts";
import { openTable, type Table } from "../../../lib/table/table.ts";
import { transact, transactUnlessThrottled } from "../../../lib/table/transact.ts";
import { put } from "../../../lib/table/writes.ts";
import { uptimeMs } from "../../../lib/time/clock.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { table } from "../../harness/service.ts";

const key = { pk: `ACCOUNT#${randomUUID()}`, sk: "MEMBER#1" };

const calls: [string, (on: Table) => Promise<unknown>][] = [
  ["getItem", (on) => getItem(on, key)],
  ["queryRange", (on) => queryRange(on, { from: key, to: "MEMBER#2", limit: 1, consistent: true })],
  ["listPage", (on) => listPage(on, key)],
  ["transact", (on) => transact(on, [put(on, key, {})])],
];

/** The table, whose first call fails with an error of this name. */
const failingOnce = (name: string, options: Partial<Table> = {}) => {
  let count = 0;
  const failing = interceptedTable({ ...table, ...options }, (_, proceed) => {
    if (count++ > 0) return proceed();
    throw Object.assign(new Error("slow down"), { name });
  });
  return { failing, count: () => count };
};

test.each(calls)(
  "%s is tried again while the table is throttled, for who can wait, and otherwise not",
  async (_, call) => {
    const patient = failingOnce("ThrottlingException", { canWait: true });
    const impatient = failingOnce("ThrottlingException");

    await call(patient.failing);
    await expect(call(impatient.failing)).rejects.toThrow("slow down");

    expect([patient.count(), impatient.count()]).toEqual([2, 1]);
  },
);

test.each(calls)(
  "%s is not tried again after another error, of which the SDK has tried three times",
  async (_, call) => {
    const { failing, count } = failingOnce("TimeoutError", { canWait: true });

    await expect(call(failing)).rejects.toThrow("slow down");

    expect(count()).toBe(1);
  },
);

test.each(calls)("%s is not tried again after the table's deadline, even for who can wait", async (_, call) => {
  const { failing, count } = failingOnce("ThrottlingException", { canWait: true, deadline: uptimeMs() - 1 });

  await expect(call(failing)).rejects.toThrow("slow down");

  expect(count()).toBe(1);
});

test("A transaction that others can do without is not tried again, even by who can wait", async () => {
  const { failing, count } = failingOnce("ThrottlingException", { canWait: true });

  await expect(transactUnlessThrottled(failing, [put(failing, key, {})])).rejects.toThrow("slow down");

  expect(count()).toBe(1);
});

test("After a conflict, the items are read consistently, to know whether a condition fails", async () => {
  const reads: unknown[] = [];
  const cancelled = new TransactionCanceledException({
    $metadata: {},
    message: "cancelled",
    CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }],
  });
  const inConflict = interceptedTable(table, ({ constructor: { name }, input }, proceed) => {
    if (name === "TransactWriteCommand" && reads.length === 0) throw cancelled;
    if (name === "GetCommand") reads.push([input.Key, input.ConsistentRead]);
    return proceed();
  });
  const other = { ...key, sk: "MEMBER#2" };

  expect(await transact(inConflict, [put(table, key, {}), put(table, other, {})])).toBeNull();

  expect(reads).toEqual([[other, true]]);
});

test("A transaction in conflict is not tried any more after the table's deadline, and otherwise for 20 seconds", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const write = (deadline?: number) => transact({ ...table, ...(deadline && { deadline }) }, [put(table, key, {})]);

  await write();
  await write(uptimeMs() + 15_000);
  await write(uptimeMs() + 25_000);
  await write(uptimeMs() - 1000).catch(() => {}); // It may have been faster.

  const limits = timeout.mock.calls.map(([ms]) => ms).filter((ms) => ms <= 20_000);
  expect(limits.map((ms) => Math.ceil(ms / 5000) * 5000)).toContain(15_000);
  expect(limits).toContain(0);
  expect(limits.filter((ms) => ms === 20_000).length).toBeGreaterThanOrEqual(2);
});

test.each([
  [true, 60_000],
  [false, 20_000],
])(
  "A call of a table that can wait (%s) ends after %i ms, and its connection is silent for at most 3 s",
  async (canWait, ms) => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    const { client, ...opened } = openTable({ canWait });

    await getItem({ client, ...opened }, key);

    expect(timeout.mock.calls).toEqual([[ms]]);
    const { requestHandler } = (client as DynamoDBDocumentClient).config;
    const { httpHandlerConfigs } = requestHandler as unknown as { httpHandlerConfigs: () => object };
    expect(Reflect.apply(httpHandlerConfigs, requestHandler, [])).toMatchObject({
      connectionTimeout: 1000,
      socketTimeout: 3000,
    });
  },
);
