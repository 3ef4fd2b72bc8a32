/** Adds up the DynamoDB capacity that a request consumes. */
import type { ConsumedCapacity } from "@aws-sdk/client-dynamodb";
import type { Table } from "./table.ts";

/** Counts only calls with ReturnConsumedCapacity, because DynamoDB reports no capacity units for other calls. */
export const metered = (table: Table, add: (capacityUnits: number) => void): Table => {
  const send = async (...call: unknown[]) => {
    const output = await Reflect.apply(table.client.send, table.client, call);
    const consumed: ConsumedCapacity | ConsumedCapacity[] = output.ConsumedCapacity ?? [];
    for (const { CapacityUnits = 0 } of [consumed].flat()) add(CapacityUnits);
    return output;
  };
  return { ...table, client: { send } };
};
