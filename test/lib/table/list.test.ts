import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { segmentKey } from "../../../lib/table/keys.ts";
import { listItems, listPage } from "../../../lib/table/list.ts";
import { metered } from "../../../lib/table/metered.ts";
import { interceptedTable } from "../../harness/intercepted-table.ts";
import { table } from "../../harness/service.ts";

test("Returns all items of a partition in order, even if they take several pages", async () => {
  const [account_id, id] = [randomUUID(), randomUUID()];
  const keys = Array.from({ length: 5 }, (_, index) => segmentKey(account_id, id, "digest", index));
  const bytes = Buffer.alloc(300_000); // a page has 1 MB
  for (const key of keys.toReversed()) {
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key, bytes } }));
  }
  const first = { pk: keys[0]?.pk ?? "", sk: "SEGMENT#" };

  expect(await listItems(table, first, "none")).toEqual(keys);
  expect(await listItems(table, { ...first, sk: "HEAD" })).toEqual([]);
});

test("A page has at most `limit` items, and the next page starts after it", async () => {
  const pk = `ACCOUNT#${randomUUID()}`;
  const members = ["1", "2", "3"].map((n) => ({ pk, sk: `MEMBER#${n}`, role: "Analyst" }));
  for (const Item of [...members, { pk, sk: "OTHER" }]) {
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...Item, id: randomUUID() } }));
  }
  const list = (options: object) => listPage(table, { pk, sk: "MEMBER#" }, { only: ["role"], ...options });

  expect(await list({ limit: 2 })).toEqual({ items: members.slice(0, 2), next: "2" });
  expect(await list({ limit: 2, after: "2" })).toEqual({ items: members.slice(2), next: undefined });
  expect(await list({ limit: 3 })).toEqual({ items: members, next: undefined });
  expect(await list({ after: "1 is no sort key" })).toEqual({ items: members.slice(1), next: undefined });
  expect(await list({ after: "9" })).toEqual({ items: [], next: undefined });
});

test("A whole partition is listed without an empty value, which DynamoDB rejects for a key, and without unused names", async () => {
  const pk = `ACCOUNT#${randomUUID()}`;
  await table.client.send(new PutCommand({ TableName: table.name, Item: { pk, sk: "MEMBER#1", role: "Analyst" } }));
  const strict = interceptedTable(table, ({ input }, proceed) => {
    const used = `${input.KeyConditionExpression} ${input.ProjectionExpression}`;
    expect(Object.values(input.ExpressionAttributeValues as object)).not.toContain("");
    for (const name of Object.keys(input.ExpressionAttributeNames as object)) expect(used).toContain(name);
    return proceed();
  });

  expect(await listItems(strict, { pk, sk: "" })).toEqual([{ pk, sk: "MEMBER#1", role: "Analyst" }]);
  expect(await listItems(strict, { pk, sk: "" }, "role")).toEqual([{ pk, sk: "MEMBER#1", role: "Analyst" }]);
});

test("The request log counts the capacity that a listing consumes", async () => {
  let units = 0;
  const counted = metered(table, (consumed) => {
    units += consumed;
  });

  await listItems(counted, { pk: randomUUID(), sk: "MEMBER#" });

  expect(units).toBeGreaterThan(0);
});
