/** Counts what a request costs. */
import type { ConsumedCapacity } from "@aws-sdk/client-dynamodb";
import type { Table } from "./table.ts";

type Output = { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };

/** Passes the capacity units of each call to `add`. A call without ReturnConsumedCapacity counts as free. */
export const metered = (table: Table, add: (capacityUnits: number) => void): Table => {
  const send = async (...call: unknown[]) => {
    const output = await Reflect.apply(table.client.send, table.client, call);
    const { ConsumedCapacity = [] }: Output = output;
    for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) add(CapacityUnits);
    return output;
  };
  return { ...table, client: { send } };
};
