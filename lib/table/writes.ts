/** The conditional writes that a transaction is made of. */
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { absentOrExpired, isLive, live, nowValue } from "./expiry.ts";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** An item as it is in the table. */
export type Item = Record<string, unknown>;

/** One conditional write; `Stored` is what an item holds that refuses it. */
export type Write<Stored extends object = object> = {
  readonly transactItem: TransactItem;
  readonly key: ItemKey;
  /** Whether the condition fails on what is there; `undefined` is nothing. */
  readonly fails: (found: Item | undefined) => found is Item & Stored;
};

/** Puts an item where nothing is, or only what has expired. */
export const putIfAbsent = <Stored extends object>(
  table: Table,
  key: ItemKey,
  fields: Stored,
  now: number,
): Write<Stored> => ({
  key,
  transactItem: {
    Put: {
      TableName: table.name,
      Item: { ...key, ...fields },
      ConditionExpression: absentOrExpired,
      ExpressionAttributeValues: nowValue(now),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  },
  fails: (found): found is Item & Stored => isLive(found, now),
});

/** Puts an item, whatever is there. */
export const put = (table: Table, key: ItemKey, fields: object): Write => ({
  key,
  transactItem: { Put: { TableName: table.name, Item: { ...key, ...fields } } },
  fails: (_found): _found is Item => false,
});

/** Changes an item under a condition. `refuses` says of an item, or of nothing, whether the condition fails. */
export const update = (
  table: Table,
  key: ItemKey,
  change: Omit<NonNullable<TransactItem["Update"]>, "TableName" | "Key">,
  fails: (found: Item | undefined) => boolean,
): Write => ({
  key,
  transactItem: {
    Update: {
      TableName: table.name,
      Key: key,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      ...change,
    },
  },
  fails: (found): found is Item => fails(found),
});

/** Changes an item that is there and has not expired. */
export const updateLive = (
  table: Table,
  key: ItemKey,
  change: { UpdateExpression: string; ExpressionAttributeValues: Record<string, unknown> },
  now: number,
): Write =>
  update(
    table,
    key,
    {
      UpdateExpression: change.UpdateExpression,
      ConditionExpression: live,
      ExpressionAttributeValues: { ...change.ExpressionAttributeValues, ...nowValue(now) },
    },
    (found) => !isLive(found, now),
  );
