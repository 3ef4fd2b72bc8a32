/** The table of the simulation beside the embedded engine: the same calls must have the same responses and errors. */
import { randomUUID } from "node:crypto";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import fc from "fast-check";
import { expect, test } from "vitest";
import { markStored } from "../../lib/messages/marker.ts";
import { changeWrites } from "../../lib/messages/write/change-message.ts";
import { absent, live, nowValue } from "../../lib/table/expiry.ts";
import { headKey, type ItemKey, markerKey, memberKey, segmentKey } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { put, putIfAbsent, updateLive, type Write } from "../../lib/table/writes.ts";
import { freshTable } from "../harness/tables.ts";
import { type Input, newEngine } from "./engine.ts";

/** Takes the next random number, and one of the options by it. */
type Pick = <T>(...options: T[]) => T;

const now = 7000;

/** Few keys, and most of the time the same one, so that calls meet. */
const refOf = (pick: Pick) => ({ account_id: "a", id: pick("1", "1", "1", "2") });
const keyOf = (pick: Pick): ItemKey => {
  const { account_id, id } = refOf(pick);
  const head = headKey(account_id, id);
  return pick(
    head,
    head,
    head,
    segmentKey(account_id, id, "x", 0),
    segmentKey(account_id, id, "x", 0),
    segmentKey(account_id, id, "y", 0),
    markerKey(account_id, id),
    memberKey(account_id, id),
  );
};
const fieldsOf = (pick: Pick) => ({
  id: pick("one", "two"),
  content_digest: pick("x", "y"),
  ...pick({}, { expires_at: 6 }, { expires_at: 7 }, { expires_at: 8 }),
  ...pick({}, { open_count: 3 }, { delivery_attempts: [{ log: "250", at: null }] }, { bytes: Buffer.from("abc") }),
  ...pick({}, {}, { deleted_at: "noon" }),
  ...pick({}, { person: "PERSON#1", created_at: pick("1", "2", "LEFTOVER#1") }),
});

/** The conditions of the project's writes. */
const conditionOf = (pick: Pick) =>
  pick(
    {},
    { ConditionExpression: absent },
    { ConditionExpression: "id = :id", ExpressionAttributeValues: { ":id": pick("one", "two") } },
    {
      ConditionExpression: "content_digest = :replaced AND expires_at <= :now AND expires_at <> :unending",
      ExpressionAttributeValues: { ":replaced": pick("x", "y"), ":unending": pick(6, 9), ...nowValue(now) },
    },
  );

const changeOf = (pick: Pick) =>
  pick(
    {
      UpdateExpression: "SET #role = :role, updated_at = :time",
      ConditionExpression: "id = :id",
      ExpressionAttributeNames: { "#role": "role" },
      ExpressionAttributeValues: { ":id": "one", ":role": "Analyst", ":time": "noon" },
    },
    { UpdateExpression: "SET deleted_at = :time REMOVE expires_at", ExpressionAttributeValues: { ":time": "noon" } },
    {
      UpdateExpression: "SET expires_at = :end",
      ConditionExpression:
        `${live} AND attribute_not_exists(deleted_at) ` +
        "AND (attribute_not_exists(expires_at) OR expires_at >= :end)",
      ExpressionAttributeValues: { ":end": pick(7, 8), ...nowValue(now) },
    },
    {
      UpdateExpression: "SET #content_digest = :content_digest",
      ConditionExpression: `${live} AND content_digest = :existing`,
      ExpressionAttributeNames: { "#content_digest": "content_digest" },
      ExpressionAttributeValues: { ":content_digest": "y", ":existing": "x", ...nowValue(now) },
    },
  );

const writeOf = (table: Table, pick: Pick): Write => {
  const headPut = () => ({ TableName: table.name, Item: { ...keyOf(pick), ...fieldsOf(pick) }, ...conditionOf(pick) });
  const changes = { statuses: [{ event_id: "1", time: "2", status: "sent" }], attempts: [], opens: 1, clicks: 0 };
  const change = { UpdateExpression: "SET id = :id", ExpressionAttributeValues: { ":id": "two" } };
  const make = pick<() => Write>(
    () => putIfAbsent(table, keyOf(pick), fieldsOf(pick), now),
    () => put(table, keyOf(pick), fieldsOf(pick)),
    () => markStored(table, refOf(pick), 9),
    () => changeWrites(table, refOf(pick), changes, {}, now).change,
    () => updateLive(table, keyOf(pick), change, now),
    () => ({ ...put(table, keyOf(pick), {}), transactItem: { Put: headPut() } }),
  );
  return make();
};

const makers = {
  get: (table: Table, pick: Pick) => new GetCommand({ TableName: table.name, Key: keyOf(pick), ConsistentRead: true }),
  batchGet: (table: Table, pick: Pick) => {
    const keys = [keyOf(pick), keyOf(pick), keyOf(pick)];
    const unique = [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
    const RequestItems = {
      [table.name]: { Keys: unique, ConsistentRead: true, ...pick({}, { ProjectionExpression: "pk" }) },
    };
    return new BatchGetCommand({ RequestItems });
  },
  query: (table: Table, pick: Pick) => {
    const { pk, sk } = segmentKey("a", pick("1", "2"), pick("x", "y"), 0);
    const [KeyConditionExpression, values] = pick(
      ["pk = :pk AND sk BETWEEN :from AND :to", { ":from": pick(sk, "HEAD"), ":to": pick("SEGMENT~", sk) }],
      ["pk = :pk AND begins_with(sk, :sk)", { ":sk": "SEGMENT" }],
    );
    return new QueryCommand({
      TableName: table.name,
      KeyConditionExpression,
      ExpressionAttributeValues: { ":pk": pk, ...values },
      ConsistentRead: true,
      ...pick({}, { Limit: 1 }, { Limit: 2 }),
      ...pick({}, { ExclusiveStartKey: { pk, sk } }),
      ...pick({}, { ProjectionExpression: "pk, sk" }),
    });
  },
  /** Items with the same time have no order, so a page of them has no defined end. */
  index: (table: Table, pick: Pick) =>
    new QueryCommand({
      TableName: table.name,
      IndexName: "person",
      ...pick(
        { KeyConditionExpression: "person = :person", ExpressionAttributeValues: { ":person": "PERSON#1" } },
        {
          KeyConditionExpression: "person = :person AND created_at BETWEEN :since AND :end",
          ExpressionAttributeValues: { ":person": "PERSON#1", ":since": pick("0", "2"), ":end": "9999~" },
        },
      ),
      ScanIndexForward: false,
    }),
  scan: (table: Table, pick: Pick) =>
    new ScanCommand({
      TableName: table.name,
      ConsistentRead: true,
      ...pick(
        {},
        { ProjectionExpression: "pk, sk" },
        { FilterExpression: "attribute_exists(deleted_at) OR attribute_exists(content_removed_at)" },
        {
          FilterExpression: "sk = :head OR begins_with(sk, :member)",
          ExpressionAttributeValues: { ":head": "HEAD", ":member": "MEMBER#" },
          ProjectionExpression: "#pk, #sk, #id, #nothing",
          ExpressionAttributeNames: { "#pk": "pk", "#sk": "sk", "#id": "id", "#nothing": "nothing" },
        },
      ),
    }),
  put: (table: Table, pick: Pick) =>
    new PutCommand({
      TableName: table.name,
      Item: { ...keyOf(pick), ...fieldsOf(pick) },
      ...conditionOf(pick),
      ...pick({}, { ReturnValues: "ALL_OLD" as const }),
    }),
  update: (table: Table, pick: Pick) =>
    new UpdateCommand({ TableName: table.name, Key: keyOf(pick), ...changeOf(pick) }),
  delete: (table: Table, pick: Pick) =>
    new DeleteCommand({ TableName: table.name, Key: keyOf(pick), ...conditionOf(pick) }),
  transaction: (table: Table, pick: Pick) =>
    new TransactWriteCommand({
      TransactItems: pick([0], [0, 1], [0, 1, 2]).map(() => writeOf(table, pick).transactItem),
      ClientRequestToken: randomUUID(),
    }),
};
type Kind = keyof typeof makers;
const kinds = Object.keys(makers) as Kind[];

/** The simulated engine returns items of a Scan or a batch in another order; a reader may rely on none. */
const sorted = (items: ItemKey[] = []) => items.toSorted((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));

type Seen = Record<string, never> & { Responses?: Record<string, ItemKey[]>; Items?: ItemKey[] };

const outcomeOf = async (call: () => Promise<unknown>, isOrdered: boolean) => {
  try {
    const { Item, Items, Attributes, LastEvaluatedKey, Responses = {} } = (await call()) as Seen;
    const [batch] = Object.values(Responses);
    const outcome = { Item, Attributes, LastEvaluatedKey, items: isOrdered ? Items : sorted(Items ?? batch) };
    return JSON.parse(JSON.stringify(outcome, (_, value) => (value?.type === "Buffer" ? value.data : value)));
  } catch (error) {
    const { name } = error as Error;
    const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
    return { name, reasons: reasons.map(({ Code, Item }) => ({ Code, Item: Item && unmarshall(Item) })) };
  }
};

const calls = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds, "put", "transaction"),
    numbers: fc.array(fc.nat(11), { maxLength: 40, size: "max" }),
  }),
  { minLength: 1, maxLength: 40, size: "max" },
);

const wholeTable = { kind: "scan", numbers: [] };

test("The table of the simulation responds like the embedded engine", async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (calls) => {
      const table = await freshTable();
      const engine = newEngine(() => now);
      engine.create(table.name);
      for (const { kind, numbers } of calls.flatMap((call) => [call, wholeTable])) {
        const left = [...numbers];
        const pick: Pick = (...options) => options[(left.shift() ?? 0) % options.length] as never;
        const command = makers[kind as Kind](table, pick);
        const simulate = async () => engine.call(command.constructor.name, command.input as Input);
        for (const time of ["first", "again"]) {
          const real = await outcomeOf(() => table.client.send(command as never), kind === "query");
          const simulated = await outcomeOf(simulate, kind === "query");
          expect({ time, kind, input: command.input, ...simulated }).toEqual({
            time,
            kind,
            input: command.input,
            ...real,
          });
          if (kind !== "transaction") break; // Only a transaction has a token, by which it knows a repeated call.
        }
      }
    }),
  );
});
