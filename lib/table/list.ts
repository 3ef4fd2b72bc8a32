/** Lists the items of a partition. */
import { type NativeAttributeValue, QueryCommand, type QueryCommandOutput } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

/**
 * Returns the items of partition `first.pk` with a sort key that starts with `first.sk`, in the order of their sort
 * keys. The reads are strongly consistent. The list may contain expired items.
 *
 * @param only the attributes to return; by default all
 */
export const listItems = async <Stored extends object = Record<string, NativeAttributeValue>>(
  table: Table,
  first: ItemKey,
  ...only: string[]
): Promise<(ItemKey & Stored)[]> => {
  const items: (ItemKey & Stored)[] = [];
  let from: QueryCommandOutput["LastEvaluatedKey"];
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
        ExpressionAttributeValues: { ":pk": first.pk, ":sk": first.sk },
        ProjectionExpression: only.length > 0 ? only.join(", ") : undefined,
        ConsistentRead: true,
        ExclusiveStartKey: from,
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    items.push(...(Items as (ItemKey & Stored)[]));
    from = LastEvaluatedKey;
  } while (from);
  return items;
};
