/** Reads a single item, or the next few items of a partition. */
import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

/** May return an expired item. Strongly consistent reads cost twice as much, so they are not the default. */
export const getItem = async <Stored extends object>(
  table: Table,
  Key: ItemKey,
  { consistent = false, abortSignal }: { consistent?: boolean; abortSignal?: AbortSignal } = {},
): Promise<Stored | undefined> => {
  const read = { TableName: table.name, Key, ConsistentRead: consistent, ReturnConsumedCapacity: "TOTAL" } as const;
  const { Item } = await table.client.send(new GetCommand(read), abortSignal && { abortSignal });
  return Item as Stored | undefined;
};

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
