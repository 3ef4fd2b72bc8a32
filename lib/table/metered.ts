/** Counts what a request consumes. */
import type { Table } from "./table.ts";

type Consumed = { CapacityUnits: number };
type Output = { ConsumedCapacity?: Consumed | Consumed[] };

/** The same table; `add` hears the capacity units of every call that asks DynamoDB to return them. */
export const metered = (table: Table, add: (capacityUnits: number) => void): Table => {
  const { client } = table as { client: { send: (...call: unknown[]) => Promise<Output> } };
  const send = async (...call: unknown[]): Promise<Output> => {
    const output = await client.send(...call);
    for (const { CapacityUnits } of [output.ConsumedCapacity ?? []].flat()) add(CapacityUnits);
    return output;
  };
  return { ...table, client: { send: send as Table["client"]["send"] } };
};
