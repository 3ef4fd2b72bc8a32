/** The writes of a transaction. */
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { absentOrExpired, isLive, live, nowValue } from "./expiry.ts";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

export type Item = Record<string, unknown>;

/** A write of a transaction. If an existing item makes the condition fail, `Stored` is the type of the item. */
export type Write<Stored extends object = object> = {
  readonly transactItem: TransactItem;
  readonly key: ItemKey;
  /** Returns whether the write's condition fails. `found` is the existing item, or `undefined` if no item exists. */
  readonly fails: (found: Item | undefined) => found is Item & Stored;
};

/** Puts an item if no item with this key exists, or if the existing item has expired. */
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

/** Puts an item without a condition. */
export const put = (table: Table, key: ItemKey, fields: object): Write => ({
  key,
  transactItem: { Put: { TableName: table.name, Item: { ...key, ...fields } } },
  fails: (_found): _found is Item => false,
});

/** Updates an item if the condition in `change` is true. `fails` returns whether an item makes the condition false. */
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

/** Updates an item if the item exists and has not expired. */
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
      ...change,
      ConditionExpression: live,
      ExpressionAttributeValues: { ...change.ExpressionAttributeValues, ...nowValue(now) },
    },
    (found) => !isLive(found, now),
  );
