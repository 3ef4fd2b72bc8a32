/** Reads of single items that are combined into one call. */
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { batched } from "../../../lib/table/batched.ts";
import { getItem } from "../../../lib/table/get.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { table } from "../../harness/service.ts";

const keyOf = (sk: string) => ({ pk: "batched", sk });
const [ada, bea, nobody] = [keyOf("ada"), keyOf("bea"), keyOf("nobody")];

beforeAll(async () => {
  for (const Item of [ada, bea]) await table.client.send(new PutCommand({ TableName: table.name, Item }));
});

/** Reads items of a table at the same time. Returns the items and the names of the calls. */
const readAll = async (
  keys: { pk: string; sk: string }[],
  { consistent = false, respond = (output: object): object => output } = {},
) => {
  const calls: string[] = [];
  const watched = batched(
    interceptedTable(table, async ({ constructor: { name } }, proceed) => {
      calls.push(name);
      const output = await proceed();
      return name === "BatchGetCommand" ? respond(output as object) : output;
    }),
  );
  const items = await Promise.all(keys.map((key) => getItem(watched, key, { consistent })));
  return { items, calls };
};

test("Several reads are one call, whose items come in the order of the reads", async () => {
  expect(await readAll([bea, nobody, ada])).toEqual({
    items: [bea, undefined, ada],
    calls: ["BatchGetCommand"],
  });
});

test("A single read and consistent reads are not combined", async () => {
  expect(await readAll([ada])).toEqual({ items: [ada], calls: ["GetCommand"] });
  const consistent = { items: [ada, bea], calls: ["GetCommand", "GetCommand"] };
  expect(await readAll([ada, bea], { consistent: true })).toEqual(consistent);
});

test("Reads in different turns of the event loop are not combined", async () => {
  const one = batched(table);

  const [first] = await Promise.all([getItem(one, ada), getItem(one, bea)]);
  const [again] = await Promise.all([getItem(one, ada), getItem(one, nobody)]);

  expect([first, again]).toEqual([ada, ada]);
});

test("A key that a throttled table leaves unprocessed is read again", async () => {
  const throttled = {
    Responses: { [table.name]: [ada] },
    UnprocessedKeys: { [table.name]: { Keys: [bea] } },
  };

  expect(await readAll([ada, bea], { respond: () => throttled })).toEqual({
    items: [ada, bea],
    calls: ["BatchGetCommand", "GetCommand"],
  });
});

test("If the call fails, every read fails with its error", async () => {
  const failing = batched(interceptedTable(table, async () => Promise.reject(new Error("no table"))));

  const reads = [ada, bea].map((key) => getItem(failing, key));

  expect(await Promise.allSettled(reads)).toMatchObject(
    Array(2).fill({ status: "rejected", reason: { message: "no table" } }),
  );
});
