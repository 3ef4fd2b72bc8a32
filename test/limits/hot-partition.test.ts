/** One account or one API key at twice its capacity. Results stay right; what counts is what it costs everybody else. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createHandler as addAccountMember } from "../../functions/add-account-member.ts";
import { createHandler as getMessage } from "../../functions/get-message.ts";
import { createApiKey } from "../../lib/api-keys/store.ts";
import { storeMessage } from "../../lib/messages/write/store-message.ts";
import { addAccountMemberEvent, getMessageEvent } from "../bench/events.ts";
import { newMessage, noon } from "../harness/service.ts";
import { limitedTable, newTable } from "../world/limited-table.ts";
import { until } from "../world/time.ts";
import { environments, load, percentile, type Sent } from "./load.ts";

const anyOf = <T>(values: readonly [T, ...T[]]): T => values[Math.floor(Math.random() * values.length)] ?? values[0];

/** @param scale the share of DynamoDB's capacity that the table has, and of the load: fewer calls, the same ratios */
const start = (scale: number) => {
  const db = limitedTable(newTable, scale);
  const account_id = randomUUID();
  const newCaller = async () => {
    const { secret } = await createApiKey(db.open(), { account_id, scopes: ["*"] }, noon);
    return { account_id, secret };
  };
  return { scale, db, account_id, newCaller };
};

/** Adding members to one account, with as many keys as it takes for the account to be the limit. */
const oneAccount = async () => {
  const { scale, db, newCaller } = start(1 / 60);
  const prepare = async () =>
    [await newCaller(), ...(await Promise.all(Array.from({ length: 20 }, newCaller)))] as const;
  const callers = await db.unlimited(prepare());
  const lambda = environments(addAccountMember, db.open, 28_000);
  const send = () => lambda.invoke(addAccountMemberEvent(anyOf(callers)));
  return { scale, db, lambda, send, status: 201, perSecond: (1000 / 2) * scale }; // two units in a transaction
};

/** Reading many messages with one key. */
const oneKey = async () => {
  const { scale, db, account_id, newCaller } = start(1 / 60);
  const prepare = async () => {
    const message = newMessage({ account_id });
    await storeMessage(db.open(), message, Buffer.from("Subject: Hello\r\n\r\nHello"), noon);
    return message.id;
  };
  const caller = await db.unlimited(newCaller());
  const ids = await db.unlimited((async () => [await prepare(), await prepare(), await prepare()] as const)());
  const lambda = environments(getMessage, db.open, 300_000);
  const send = () => lambda.invoke(getMessageEvent(caller, anyOf(ids)));
  return { scale, db, lambda, send, status: 200, perSecond: 3000 * scale };
};

type Scene = Awaited<ReturnType<typeof oneAccount>>;

const measure = async ({ scale, db, lambda, send, status, perSecond }: Scene, times: number, seconds: number) => {
  db.take();
  const sent = await until(load(times * perSecond, seconds, send));
  const ended = Map.groupBy(sent, (one) => one.status);
  const {
    [status]: succeeded = [],
    503: unavailable = [],
    ...others
  } = Object.fromEntries(ended) as Record<number, Sent[]>;
  expect(others).toEqual({});
  return {
    environments: lambda.most() / scale,
    p99: percentile(
      0.99,
      succeeded.map(({ ms }) => ms),
    ),
    slowest503: percentile(
      1,
      unavailable.map(({ ms }) => ms),
    ),
    callsEach: db.take().all / sent.length,
    unavailable: unavailable.length / sent.length,
    goodput: succeeded.length / seconds / perSecond,
  };
};

test("An account at twice its capacity leaves environments for the others, and recovers at once", async () => {
  const scene = await oneAccount();

  const during = await measure(scene, 2, 12);
  const after = await measure(scene, 0.8, 12);

  expect(during.environments).toBeLessThan(2500);
  expect(during.p99).toBeLessThan(2500);
  expect(during.slowest503).toBeLessThan(1500);
  expect(during.callsEach).toBeLessThan(10);
  expect(during.goodput).toBeGreaterThan(0.9);
  expect(after.unavailable).toBeLessThan(0.01);
});

test("An API key at twice its capacity leaves environments for the others", async () => {
  const scene = await oneKey();

  const during = await measure(scene, 2, 30);

  expect(during.environments).toBeLessThan(1500);
  expect(during.p99).toBeLessThan(500);
  expect(during.callsEach).toBeLessThanOrEqual(3);
  expect(during.goodput).toBeGreaterThan(0.9);
});

test.each([
  ["adding members", oneAccount],
  ["reading messages", oneKey],
])("Callers who are throttled together while %s do not come back together", async (_, prepare) => {
  const { db, send } = await prepare();
  db.take();

  await until(Promise.all(Array.from({ length: 150 }, send)));

  const [together, ...later] = [...Map.groupBy(db.take().throttledAt, (at) => at).values()].map(({ length }) => length);
  expect(together).toBeGreaterThan(50);
  expect(Math.max(...later)).toBeLessThan(Number(together) / 3);
});
