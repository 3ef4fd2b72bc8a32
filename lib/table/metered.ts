/** Counts consumed capacity. */
import type { ConsumedCapacity } from "@aws-sdk/client-dynamodb";
import type { Table } from "./table.ts";

type Output = { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };

/** Wraps a table to call `add` with the capacity units of each DynamoDB call that sets ReturnConsumedCapacity. */
export const metered = (table: Table, add: (capacityUnits: number) => void): Table => {
  const send = async (...call: unknown[]) => {
    const output = await Reflect.apply(table.client.send, table.client, call);
    const { ConsumedCapacity = [] }: Output = output;
    for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) add(CapacityUnits);
    return output;
  };
  return { ...table, client: { send } };
};
