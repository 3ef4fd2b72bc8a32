/** Reads a partition, page by page or as a whole. */
import { type NativeAttributeValue, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

type Item = Record<string, NativeAttributeValue>;

type PageOptions = {
  /** The sort key after which the page starts; by default the first. An item with this key need not exist. */
  after?: string | undefined;
  /** The largest number of items; by default as many as fit into 1 MB. */
  limit?: number | undefined;
  /** The attributes to return; by default all. */
  only?: readonly string[];
};

/**
 * Returns items of partition `pk` whose sort keys start with `sk`, in the order of their sort keys. Pass `next` as
 * `after` to get the next page, which may be empty; after the last page, `next` is undefined. The read is strongly
 * consistent, and may return expired items.
 */
export const listPage = async <Stored extends object = Item>(
  table: Table,
  { pk, sk }: ItemKey,
  { after, limit, only = [] }: PageOptions = {},
): Promise<{ items: (ItemKey & Stored)[]; next: string | undefined }> => {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
      ExpressionAttributeValues: { ":pk": pk, ":sk": sk },
      ProjectionExpression: only.length > 0 ? only.join(", ") : undefined,
      ConsistentRead: true,
      ExclusiveStartKey: after === undefined ? undefined : { pk, sk: after },
      Limit: limit,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  return { items: Items as (ItemKey & Stored)[], next: LastEvaluatedKey?.sk };
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
  } while (after);
  return items;
};
