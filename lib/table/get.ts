/** Reads one item, or a few neighbours. */
import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

/**
 * The item may have expired.
 *
 * @param options.consistent makes the read strongly consistent, at twice the price; by default false
 */
export const getItem = async <Stored extends object>(
  table: Table,
  Key: ItemKey,
  { consistent = false, abortSignal }: { consistent?: boolean; abortSignal?: AbortSignal } = {},
): Promise<Stored | undefined> => {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key,
      ConsistentRead: consistent,
      ReturnConsumedCapacity: "TOTAL",
    }),
    abortSignal && { abortSignal },
  );
  return Item as Stored | undefined;
};

/** Returns at most `limit` items of the partition `from.pk`, in the order of their sort keys, beginning at `from.sk`. */
export const queryFrom = async <Stored extends object>(
  table: Table,
  from: ItemKey,
  limit: number,
  consistent: boolean,
): Promise<(ItemKey & Stored)[]> => {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: "pk = :pk AND sk >= :from",
      ExpressionAttributeValues: { ":pk": from.pk, ":from": from.sk },
      ConsistentRead: consistent,
      Limit: limit,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  return Items as (ItemKey & Stored)[];
};
