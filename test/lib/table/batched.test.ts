/** Reads of single items that are combined into one call. */
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { batched } from "../../../lib/table/batched.ts";
import { getItem } from "../../../lib/table/get.ts";
import type { Table } from "../../../lib/table/table.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { table } from "../../harness/service.ts";

const keyOf = (sk: string) => ({ pk: "batched", sk });
const [ada, bea, nobody] = [keyOf("ada"), keyOf("bea"), keyOf("nobody")];

beforeAll(async () => {
  for (const Item of [ada, bea]) await table.client.send(new PutCommand({ TableName: table.name, Item }));
});

const readAll = (on: Table, keys: (typeof ada)[], consistent = false) =>
  Promise.all(keys.map((key) => getItem(on, key, { consistent })));

test("Reads at the same time are one call, and each read has its own item", async () => {
  const calls: string[] = [];
  const watched = interceptedTable(table, ({ constructor: { name } }, proceed) => {
    calls.push(name);
    return proceed();
  });
  const combining = batched(watched);

  expect(await readAll(combining, [bea, nobody, ada])).toEqual([bea, undefined, ada]);
  expect(await readAll(combining, [ada, bea])).toEqual([ada, bea]);
  expect(await readAll(combining, [ada, bea], true)).toEqual([ada, bea]);
  expect(calls).toEqual(["BatchGetCommand", "BatchGetCommand", "GetCommand", "GetCommand"]);
});

test("If the call fails, every read fails with its error", async () => {
  const failing = batched(interceptedTable(table, async () => Promise.reject(new Error("no table"))));

  const outcomes = await Promise.allSettled([getItem(failing, ada), getItem(failing, bea)]);

  expect(outcomes).toMatchObject(Array(2).fill({ status: "rejected", reason: { message: "no table" } }));
});
