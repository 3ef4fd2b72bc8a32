/** Whether one table can be a restored copy of another one. */
import { BatchGetCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { type ItemKey, itemTypes } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";

/**
 * Unrelated tables can contain the same user, so a common user doesn't prove that one table is a copy of the other.
 */
const isEvidence = ({ pk, sk }: ItemKey): boolean => !pk.startsWith(itemTypes.user) && !sk.startsWith("SEGMENT#");

const hasAnyOf = async ({ client, name }: Table, keys: ItemKey[]): Promise<boolean> => {
  const RequestItems = { [name]: { Keys: keys, ProjectionExpression: "pk" } };
  const { Responses } = await client.send(new BatchGetCommand({ RequestItems }));
  return (Responses?.[name] ?? []).length > 0;
};

/** Tells whether the two tables have at least one item in common. */
export const haveItemsInCommon = async (restored: Table, old: Table): Promise<boolean> => {
  let from: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await restored.client.send(
      new ScanCommand({ TableName: restored.name, ProjectionExpression: "pk, sk", ExclusiveStartKey: from }),
    );
    const keys = (Items as ItemKey[]).filter(isEvidence);
    for (let start = 0; start < keys.length; start += 100) {
      if (await hasAnyOf(old, keys.slice(start, start + 100))) return true;
    }
    from = LastEvaluatedKey;
  } while (from);
  return false;
};
