/** What can happen to a call on its way to DynamoDB, chosen by the seed. */
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { vi } from "vitest";
import { currentProcess, type Scheduler } from "./scheduler.ts";

type Item = Record<string, unknown>;
type Key = { pk: string; sk: string };
type Write = { Item?: Key; Key?: Key };
type Input = Write & {
  TableName?: string;
  ConsistentRead?: boolean;
  ExpressionAttributeValues?: Item;
  TransactItems?: { Put?: Write; Update?: Write; Delete?: Write }[];
  RequestItems?: Record<string, { Keys: Key[] }>;
};
type Command = { constructor: { name: string }; input: Input };
type Output = {
  Item?: Item;
  Items?: Item[];
  Responses?: Record<string, Item[]>;
  UnprocessedKeys?: Record<string, { Keys: Key[] }>;
};

const faults = [
  "throttled",
  "lost before",
  "done, but its answer lost",
  "conflict",
  "died",
  "unprocessed",
] as const;

const named = (name: string, message: string) => Object.assign(new Error(message), { name });
const keysOf = ({ Item, Key, TransactItems = [] }: Input): Key[] =>
  [
    { Item, Key } as Write,
    ...TransactItems.flatMap(({ Put, Update, Delete }) => Put ?? Update ?? Delete ?? []),
  ].flatMap((write) => write.Item ?? write.Key ?? []);
const idOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/**
 * Puts the gate and the faults around every call that a process makes.
 *
 * @param share how many of the calls have a fault
 */
export const injectFaults = ({ passGate, atWork, chance, oneOf, kill, now }: Scheduler, share: number) => {
  const { send } = DynamoDBDocumentClient.prototype;
  /** What an eventually consistent read may still see: an item as it was up to a second ago. */
  const created = new Map<string, Date>();
  const before = new Map<string, { item: Item | undefined; key: Key; until: number }>();

  vi.spyOn(DynamoDBDocumentClient.prototype, "send").mockImplementation(async function (
    this: DynamoDBDocumentClient,
    ...call: unknown[]
  ) {
    const caller = currentProcess();
    const proceed = () => Reflect.apply(send, this, call) as Promise<Output>;
    const {
      input,
      constructor: { name },
    } = call[0] as Command;
    if (name === "DescribeTableCommand") {
      const output = (await proceed()) as { Table: { CreationDateTime: Date } };
      output.Table.CreationDateTime = created.get(input.TableName ?? "") ?? output.Table.CreationDateTime;
      return output;
    }
    if (!caller) return proceed();
    const isWrite = /^(Put|Update|Delete|TransactWrite)Command$/.test(name);

    const keep = async () => {
      for (const { pk, sk } of keysOf(input)) {
        const TableName = input.TableName ?? input.TransactItems?.flatMap((write) => Object.values(write))[0];
        const table =
          typeof TableName === "string" ? TableName : (TableName as { TableName: string }).TableName;
        const read = new GetCommand({ TableName: table, Key: { pk, sk }, ConsistentRead: true });
        const { Item } = (await Reflect.apply(send, this, [read])) as Output;
        before.set(idOf({ pk, sk }), { item: Item, key: { pk, sk }, until: now() + 1000 });
      }
    };
    const seenLate = (item: Item): Item[] => {
      const old = before.get(idOf(item as never));
      return old && old.until > now() ? (old.item ? [old.item] : []) : [item];
    };
    const outdated = (output: Output): Output => {
      const old =
        output.Item ??
        [...before.values()].find(({ key }) => idOf(key) === idOf(input.Key ?? ({} as Key)))?.item;
      if (name === "GetCommand") return { ...output, Item: (old ? seenLate(old)[0] : undefined) as never };
      return { ...output, ...(output.Items && { Items: output.Items.flatMap(seenLate) }) };
    };
    const perform = async () => {
      if (isWrite) await keep();
      const output = await proceed();
      return !isWrite && !input.ConsistentRead && chance(share) ? outdated(output) : output;
    };

    await passGate();
    const fault = chance(share) ? oneOf(faults) : undefined;
    if (fault === "died" && /^command|^worker/.test(caller.name)) {
      kill(caller);
      return new Promise(() => {});
    }
    if (fault === "throttled") {
      throw named("ThrottlingException", "Throughput exceeds the current capacity");
    }
    if (fault === "lost before") {
      throw named("TimeoutError", "The connection was closed");
    }
    if (fault === "conflict" && input.TransactItems) {
      const CancellationReasons = input.TransactItems.map((_, index) => ({
        Code: index === 0 ? "TransactionConflict" : "None",
      }));
      throw new TransactionCanceledException({ $metadata: {}, message: "Conflict", CancellationReasons });
    }
    if (fault === "unprocessed" && input.RequestItems && chance(0.8)) {
      await passGate();
      return { Responses: {}, UnprocessedKeys: input.RequestItems };
    }
    const outcome = await atWork(
      perform().then(
        (output) => ({ output }),
        (error: unknown) => ({ error }),
      ),
    );
    await passGate();
    if (fault === "done, but its answer lost") {
      throw named("TimeoutError", "The connection was closed");
    }
    if ("error" in outcome) throw outcome.error;
    return outcome.output;
  } as never);
  return { created };
};
