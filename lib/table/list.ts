/** Reads the items of a partition whose sort keys begin with a prefix. */
import { type NativeAttributeValue, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

type Item = Record<string, NativeAttributeValue>;

type PageOptions = {
  /** Returns the items after this sort key; by default, from the first item on. */
  after?: string | undefined;
  /** The page has at most `limit` items; by default as many as fit into 1 MB. */
  limit?: number | undefined;
  /** The attributes to return; by default all. */
  only?: readonly string[];
};

/** Reads with strong consistency. Expired items are included. Pass `next` as `after` to get the next page. */
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
