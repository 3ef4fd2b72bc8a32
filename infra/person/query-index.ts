/** Reads the index of persons. It has no consistent reads: what was written in the last second may be missing. */
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { type ItemKey, personIndex, personKey } from "../../lib/table/keys.ts";
import { patiently } from "../../lib/table/retry.ts";
import type { Table } from "../../lib/table/table.ts";

export type Indexed = ItemKey & { created_at: string };

type Options = {
  /** ISO 8601 in UTC; by default the beginning of time. */
  since?: string | undefined;
  /** Also what is no message: first segments, and the tombstones of deletions that have not ended. By default false. */
  withLeftovers?: boolean;
  /** The page begins behind this key. */
  after?: Indexed | undefined;
  /** How many keys one call reads; by default as many as fit into 1 MB, about 3,000. */
  pageSize?: number | undefined;
};

/** Sorts after every time, and before what `leftoverTime` returns. */
const endOfTimes = "9999~";

/** Yields the keys of a person's items in pages, the newest first, and includes expired ones. */
export async function* queryIndex(
  table: Table,
  address: string,
  { since = "", withLeftovers = false, after, pageSize }: Options = {},
): AsyncGenerator<Indexed[]> {
  let ExclusiveStartKey: Record<string, unknown> | undefined = after && { ...after, person: personKey(address) };
  do {
    const query = new QueryCommand({
      TableName: table.name,
      IndexName: personIndex.name,
      KeyConditionExpression: withLeftovers
        ? "person = :person"
        : "person = :person AND created_at BETWEEN :since AND :end",
      ExpressionAttributeValues: {
        ":person": personKey(address),
        ...(!withLeftovers && { ":since": since || "0", ":end": endOfTimes }),
      },
      ScanIndexForward: false,
      ExclusiveStartKey,
      Limit: pageSize,
      ReturnConsumedCapacity: "TOTAL",
    });
    const { Items = [], LastEvaluatedKey } = await patiently(table, () => table.client.send(query));
    yield Items as Indexed[];
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
