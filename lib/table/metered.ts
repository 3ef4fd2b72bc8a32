/** Adds up the DynamoDB capacity that a request consumes. */
import type { ConsumedCapacity } from "@aws-sdk/client-dynamodb";
import type { Table } from "./table.ts";

export const metered = (
  table: Table,
  add: (capacityUnits: number) => void,
): Table & { settled: () => Promise<unknown> } => {
  const underWay = new Set<Promise<unknown>>();
  const count = async (call: unknown[]) => {
    const output = await Reflect.apply(table.client.send, table.client, call);
    const consumed: ConsumedCapacity | ConsumedCapacity[] = output.ConsumedCapacity ?? [];
    for (const { CapacityUnits = 0 } of [consumed].flat()) add(CapacityUnits);
    return output;
  };
  const send = (...call: unknown[]) => {
    const sent = count(call);
    underWay.add(sent);
    const end = () => underWay.delete(sent);
    sent.then(end, end);
    return sent;
  };
  return { ...table, client: { send }, settled: () => Promise.allSettled(underWay) };
};
