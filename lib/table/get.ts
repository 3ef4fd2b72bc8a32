/** Reads a single item, or the next few items of a partition. */
import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import { patiently } from "./retry.ts";
import type { Table } from "./table.ts";

/** May return an expired item. Strongly consistent reads cost twice as much, so they are not the default. */
export const getItem = async <Stored extends object>(
  table: Table,
  Key: ItemKey,
  { consistent = false, abortSignal }: { consistent?: boolean; abortSignal?: AbortSignal } = {},
): Promise<Stored | undefined> => {
  const read = { TableName: table.name, Key, ConsistentRead: consistent };
  const send = () => table.client.send(new GetCommand(read), abortSignal && { abortSignal });
  const { Item } = await patiently(table, send);
  return Item as Stored | undefined;
};

type Range = {
  from: ItemKey;
  /** The last sort key of the range. */
  to: string;
  limit: number;
  consistent: boolean;
};

/** Returns the items of one call, so at most `limit`, and at most 1 MB. */
export const queryRange = async <Stored extends object>(
  table: Table,
  { from, to, limit, consistent }: Range,
): Promise<(ItemKey & Stored)[]> => {
  const query = new QueryCommand({
    TableName: table.name,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":pk": from.pk, ":from": from.sk, ":to": to },
    ConsistentRead: consistent,
    Limit: limit,
  });
  const { Items = [] } = await patiently(table, () => table.client.send(query));
  return Items as (ItemKey & Stored)[];
};
