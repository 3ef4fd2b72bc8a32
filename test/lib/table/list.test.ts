import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { segmentKey } from "../../../lib/table/keys.ts";
import { listItems, listPage } from "../../../lib/table/list.ts";
import { metered } from "../../../lib/table/metered.ts";
import { table } from "../../harness/service.ts";

test("Returns all items of a partition in order, even if they take several pages", async () => {
  const [account_id, id] = [randomUUID(), randomUUID()];
  const keys = Array.from({ length: 5 }, (_, index) => segmentKey(account_id, id, "digest", index));
  const bytes = Buffer.alloc(300_000); // a page has 1 MB
  for (const key of keys.toReversed()) {
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, bytes } }));
  }
  const first = { pk: keys[0]?.pk ?? "", sk: "SEGMENT#" };

  expect(await listItems(table, first, "pk", "sk")).toEqual(keys);
  expect(await listItems(table, { ...first, sk: "HEAD" })).toEqual([]);
});

test("A page has at most `limit` items, and the next page starts after it", async () => {
  const [pk, id] = [`ACCOUNT#${randomUUID()}`, randomUUID()];
  const keys = ["1", "2", "3"].map((n) => ({ pk, sk: `MEMBER#${n}` }));
  for (const Item of [...keys, { pk, sk: "OTHER" }]) {
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...Item, id } }));
  }
  const first = { pk, sk: "MEMBER#" };

  const page = await listPage(table, first, { limit: 2, only: ["pk", "sk"] });
  const rest = await listPage(table, first, { limit: 2, after: page.next });

  expect(page).toEqual({ items: keys.slice(0, 2), next: "MEMBER#2" });
  expect(rest).toEqual({ items: [{ ...keys[2], id }], next: undefined });
  expect(await listPage(table, first, { after: "MEMBER#9" })).toEqual({ items: [], next: undefined });
});

test("The request log counts the capacity that a listing consumes", async () => {
  let units = 0;
  const counted = metered(table, (consumed) => {
    units += consumed;
  });

  await listItems(counted, { pk: randomUUID(), sk: "" });

  expect(units).toBeGreaterThan(0);
});
