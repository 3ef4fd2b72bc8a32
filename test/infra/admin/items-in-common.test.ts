import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { haveItemsInCommon } from "../../../infra/admin/items-in-common.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { freshTable, restore } from "../../harness/tables.ts";

test.each([
  ["one page", undefined],
  ["several pages", 40],
])("One item in common is found, wherever in %s the scan reads it", async (_, Limit) => {
  const restored = await restore(Array.from({ length: 130 }, (_, index) => ({ pk: `EVENT#${index}`, sk: "EVENT" })));
  const inPages = interceptedTable(restored, (command, proceed) => {
    command.input.Limit = Limit;
    return proceed();
  });
  const { Items = [] } = await restored.client.send(new ScanCommand({ TableName: restored.name }));
  const old = await freshTable();

  const before = await haveItemsInCommon(inPages, old);
  await old.client.send(new PutCommand({ TableName: old.name, Item: Items.at(-1) }));

  expect(before).toBe(false);
  expect(await haveItemsInCommon(inPages, old)).toBe(true);
});
