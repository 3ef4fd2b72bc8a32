/** Reads one item. */
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

type Options = { consistent?: boolean; abortSignal?: AbortSignal };

/**
 * Returns the item under a key, expired or not, or `undefined`.
 *
 * @param options.consistent reads what was written last, at twice the price; by default the read is eventually consistent
 */
export const getItem = async <Stored extends object>(
  table: Table,
  Key: ItemKey,
  { consistent = false, abortSignal }: Options = {},
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
