/** Combines reads of single items into one call. */
import { BatchGetCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./table.ts";

/**
 * Returns a table that combines the eventually consistent GetItem calls of one phase of the event loop into one
 * BatchGetItem call. The price is the same, but each call of the SDK takes about a millisecond of processor time. The
 * combined calls must read different items.
 */
export const batched = (table: Table): Table => {
  const { client, name } = table;
  let commands: GetCommand[] = [];
  let batch: ReturnType<typeof sendBatch> | undefined;

  const sendBatch = async () => {
    await new Promise<void>(process.nextTick); // waits for all promises that need no I/O
    const Keys = commands.map(({ input }) => input.Key ?? {});
    commands = [];
    batch = undefined;
    if (Keys.length === 1) return;
    return client.send(
      new BatchGetCommand({ RequestItems: { [name]: { Keys } }, ReturnConsumedCapacity: "TOTAL" }),
    );
  };

  const get = async (command: GetCommand) => {
    commands.push(command);
    batch ??= sendBatch();
    const { Responses, UnprocessedKeys } = (await batch) ?? {};
    const { pk, sk } = command.input.Key ?? {};
    const Item = Responses?.[name]?.find((item) => item.pk === pk && item.sk === sk);
    // A throttled table may leave keys unprocessed.
    return Item || (Responses && !UnprocessedKeys?.[name]) ? { Item } : client.send(command);
  };

  const send = (...call: unknown[]) => {
    const [command] = call;
    const isCombined = command instanceof GetCommand && !command.input.ConsistentRead;
    return isCombined ? get(command) : Reflect.apply(client.send, client, call);
  };
  return { ...table, client: { send } };
};
