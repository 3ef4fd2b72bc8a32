/** The writes of a transaction. `Stored` is the type of the items that already exist. */
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { absentOrExpired, isLive, live, nowValue } from "./expiry.ts";
import type { ItemKey } from "./keys.ts";
import type { Table } from "./table.ts";

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

export type Item = Record<string, unknown>;

export type Write<Stored extends object = object> = {
  readonly transactItem: TransactItem;
  readonly key: ItemKey;
  /** After a transaction conflict, we have to check the condition ourselves: does it fail for this item? */
  readonly fails: (found: Item | undefined) => found is Item & Stored;
};

/** Overwrites an expired item. */
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

export const put = (table: Table, key: ItemKey, fields: object): Write => ({
  key,
  transactItem: { Put: { TableName: table.name, Item: { ...key, ...fields } } },
  fails: (_found): _found is Item => false,
});

type Change = Omit<NonNullable<TransactItem["Update"]>, "TableName" | "Key">;

export const update = <Stored extends object = object>(
  table: Table,
  key: ItemKey,
  change: Change,
  fails: (found: Item | undefined) => boolean,
): Write<Stored> => ({
  key,
  transactItem: {
    Update: { TableName: table.name, Key: key, ReturnValuesOnConditionCheckFailure: "ALL_OLD", ...change },
  },
  fails: (found): found is Item & Stored => fails(found),
});

export const updateLive = (
  table: Table,
  key: ItemKey,
  change: Omit<Change, "ConditionExpression">,
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
