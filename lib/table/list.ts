/** Reads the items of a partition whose sort keys begin with a prefix. */
import { type NativeAttributeValue, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import { patiently } from "./retry.ts";
import type { Table } from "./table.ts";

type Item = Record<string, NativeAttributeValue>;

type PageOptions = {
  /** The page starts after this text: the `next` of the previous page, or any other of up to 900 bytes. */
  after?: string | undefined;
  /** The page has at most `limit` items; by default as many as fit into 1 MB. */
  limit?: number | undefined;
  /** The attributes to return besides the keys; by default all. */
  only?: readonly string[];
};

/** Reads consistently, and includes expired items. If more follow, `next` is the last sort key without the prefix. */
export const listPage = async <Stored extends object = Item>(
  table: Table,
  { pk, sk }: ItemKey,
  { after, limit, only = [] }: PageOptions = {},
): Promise<{ items: (ItemKey & Stored)[]; next: string | undefined }> => {
  const hasPrefix = sk !== ""; // DynamoDB rejects an empty value for a key, and a name that no expression uses.
  const named = hasPrefix || only.length > 0 ? ["pk", "sk", ...only] : ["pk"];
  const names = Object.fromEntries(named.map((name) => [`#${name}`, name]));
  const query = new QueryCommand({
    TableName: table.name,
    KeyConditionExpression: hasPrefix ? "#pk = :pk AND begins_with(#sk, :sk)" : "#pk = :pk",
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ":pk": pk, ...(hasPrefix && { ":sk": sk }) },
    ProjectionExpression: only.length > 0 ? Object.keys(names).join(", ") : undefined,
    ConsistentRead: true,
    ExclusiveStartKey: after === undefined ? undefined : { pk, sk: sk + after },
    Limit: limit && limit + 1, // With `limit`, the last page could announce an empty one.
  });
  const { Items = [], LastEvaluatedKey } = await patiently(table, () => table.client.send(query));
  const items = Items.slice(0, limit) as (ItemKey & Stored)[];
  const last = items.length < Items.length ? items.at(-1) : LastEvaluatedKey;
  return { items, next: last?.sk.slice(sk.length) };
};

export const listItems = async <Stored extends object = Item>(
  table: Table,
  first: ItemKey,
  ...only: string[]
): Promise<(ItemKey & Stored)[]> => {
  const items: (ItemKey & Stored)[] = [];
  let after: string | undefined;
  do {
    const page = await listPage<Stored>(table, first, { after, only });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
};
