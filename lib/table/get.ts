/** Reads of one item. */
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

/**
 * Returns the item, or `undefined` if no item exists. The item may have expired.
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
