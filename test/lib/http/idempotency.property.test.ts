import { randomUUID } from "node:crypto";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent } from "aws-lambda";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHandler } from "../../../functions/add-account-member.ts";
import { invoke } from "../../../infra/local/lambda.ts";
import { idempotencyRecordKey, memberKey } from "../../../lib/table/keys.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { day, newKey, noon, table } from "../../harness/service.ts";

/** Indices into the accounts, keys, emails and roles of one run. A `null` key sends no Idempotency-Key. */
type Ask = { account: number; key: number | null; email: number; role: number };

const ask: fc.Arbitrary<Ask> = fc.record({
  account: fc.nat(1),
  key: fc.option(fc.nat(2), { nil: null, freq: 4 }),
  email: fc.nat(2),
  role: fc.nat(1),
});

/** Requests that arrive at the same time, and the time until the next requests. */
const batches = fc.array(
  fc.record({
    asks: fc.array(ask, { minLength: 1, maxLength: 6 }),
    wait: fc.constantFrom(0, 1000, day / 2, day - 1000, day),
  }),
  { minLength: 1, maxLength: 5 },
);

type Outcome = Ask & { at: number; status: number; body: string; replayed: boolean };

const eventFor = (account_id: string, secret: string, key: string | null, body: object) =>
  ({
    headers: {
      Authorization: `Bearer ${secret}`,
      "Content-Type": "application/json",
      ...(key !== null && { "Idempotency-Key": key }),
    },
    pathParameters: { account_id },
    body: JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: {},
  }) as unknown as APIGatewayProxyEvent;

const itemsIn = async (pk: string) => {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
    }),
  );
  return Items;
};

/** Runs the requests for new accounts and emails. The calls of the table run in a random order. */
const play = async (scheduler: fc.Scheduler, plan: { asks: Ask[]; wait: number }[]) => {
  const accounts = await Promise.all([newKey(), newKey()]);
  const emails = Array.from({ length: 3 }, () => `${randomUUID()}@example.com`);
  const roles = ["Developer", "Analyst"];
  const shuffled = interceptedTable(table, async (_, proceed) => {
    await scheduler.schedule(Promise.resolve());
    return proceed();
  });
  let now = noon;
  const handler = createHandler(shuffled, () => now);

  const responses: Outcome[] = [];
  for (const { asks, wait } of plan) {
    const together = asks.map(async (one) => {
      const { account_id, secret } = accounts[one.account] ?? (await newKey());
      const key = one.key === null ? null : `key-${one.key}`;
      const body = { email: emails[one.email], role: roles[one.role] };
      const response = await invoke(handler, eventFor(account_id, secret, key, body));
      responses.push({
        ...one,
        at: now,
        status: response.statusCode,
        body: response.body as string,
        replayed: response.headers["Idempotent-Replayed"] === "true",
      });
    });
    await scheduler.waitFor(Promise.all(together));
    now += wait;
  }
  const items = await Promise.all(
    accounts.flatMap(({ account_id }) => [
      itemsIn(memberKey(account_id, "").pk),
      ...[0, 1, 2].map((key) => itemsIn(idempotencyRecordKey(account_id, `key-${key}`).pk)),
    ]),
  );
  return { accounts, responses, items: items.flat() };
};

const sameRequest = (a: Ask, b: Ask) => a.email === b.email && a.role === b.role;

/** Groups the responses by key and by life of the key. A life begins with the first use and lasts 24 hours. */
const lives = (responses: Outcome[]): Outcome[][] => {
  const byLife = new Map<string, Outcome[]>();
  const born = new Map<string, number>();
  for (const outcome of responses) {
    if (outcome.key === null) continue;
    const name = `${outcome.account} ${outcome.key}`;
    const birth = born.get(name);
    if (birth === undefined || outcome.at >= birth + day) born.set(name, outcome.at);
    const life = `${name} ${born.get(name)}`;
    byLife.set(life, [...(byLife.get(life) ?? []), outcome]);
  }
  return [...byLife.values()];
};

test("In every order of requests and calls, a key has one response, and members and stored responses agree", async () => {
  const property = fc.asyncProperty(fc.scheduler(), batches, async (scheduler, plan) => {
    const { accounts, responses, items } = await play(scheduler, plan);

    // Every request has a response with a status of the operation.
    expect(responses).toHaveLength(plan.flatMap(({ asks }) => asks).length);
    expect(responses.filter(({ status }) => ![201, 409, 422].includes(status))).toEqual([]);

    // A key has one first response until it expires. Only replays have the header of a replay.
    for (const life of lives(responses)) {
      const [first, ...more] = life.filter(({ status, replayed }) => status !== 422 && !replayed);
      expect(more).toEqual([]);
      for (const outcome of life) {
        if (outcome === first) continue;
        const { status, body, replayed } = outcome;
        expect({ status, body, replayed }).toEqual(
          first && sameRequest(outcome, first)
            ? { status: first.status, body: first.body, replayed: true }
            : { status: 422, body: expect.any(String), replayed: false },
        );
      }
    }
    expect(responses.filter(({ key, replayed }) => key === null && replayed)).toEqual([]);

    // A user is added to an account once. The member exists if and only if a first response was 201.
    const created = responses.filter(({ status, replayed }) => status === 201 && !replayed);
    const pairs = created.map(({ account, email }) => `${account} ${email}`);
    expect(new Set(pairs).size).toBe(pairs.length);
    const partitions = accounts.map(({ account_id }) => memberKey(account_id, "").pk);
    const members = items
      .filter(({ pk }) => partitions.includes(pk))
      .map(({ id, created_at, updated_at, user_id, account_id, role }) =>
        JSON.stringify({ id, created_at, updated_at, user_id, account_id, role }),
      );
    expect(members.toSorted()).toEqual(created.map(({ body }) => body).toSorted());

    // The same email has the same user in every account.
    const users = new Map(created.map(({ email, body }) => [email, JSON.parse(body).user_id]));
    expect(created.every(({ email, body }) => users.get(email) === JSON.parse(body).user_id)).toBe(true);

    // The record of a key contains the first response of the key's last life.
    for (const life of lives(responses)) {
      const first = life.find(({ status, replayed }) => status !== 422 && !replayed) as Outcome;
      const { account_id } = accounts[first.account] as { account_id: string };
      const { pk } = idempotencyRecordKey(account_id, `key-${first.key}`);
      const record = items.find((item) => item.pk === pk);
      if (record?.expires_at === (first.at + day) / 1000) {
        expect(record).toMatchObject({ status: first.status, body: first.body });
      }
    }
  });
  await fc.assert(property);
});
