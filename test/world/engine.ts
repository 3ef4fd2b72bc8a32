/**
 * DynamoDB in memory. A call of the embedded engine takes over a millisecond, so 10,000 months on it would take hours;
 * here a call takes microseconds, and the engine can do what the embedded one can't: read what was true a second ago. It
 * knows no limits of size, so only a `Limit` divides a Query into pages.
 */
import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { personIndex } from "../../lib/table/keys.ts";
import { type Expressions, holds, type Item, updated } from "./expressions.ts";

type Key = { pk: string; sk: string };
export type Stored = Item & Key;
export type Write = Expressions & {
  TableName: string;
  Key?: Key;
  Item?: Stored;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ReturnValues?: string;
  ReturnValuesOnConditionCheckFailure?: string;
};
export type Input = Write & {
  ConsistentRead?: boolean;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ProjectionExpression?: string | undefined;
  ExclusiveStartKey?: Stored;
  Limit?: number;
  IndexName?: string;
  ScanIndexForward?: boolean;
  Segment?: number;
  RequestItems?: Record<string, { Keys: Key[]; ProjectionExpression?: string }>;
  TransactItems?: { Put?: Write; Update?: Write; Delete?: Write }[];
  ClientRequestToken?: string;
};

/** The writes of a transaction, or the one write of another call. */
export const writesOf = ({ TransactItems, ...one }: Input): Write[] =>
  TransactItems?.map(({ Put, Update, Delete }) => Put ?? Update ?? Delete ?? one) ?? [one];

/** An item from `at` on; `undefined` while there is none. */
type Version = { at: number; item: Stored | undefined };
type Partition = Map<string, Version[]>;
type Table = { partitions: Map<string, Partition>; created: Date };

/** How old an eventually consistent read can be, in milliseconds, and how late the index. */
export const longestLag = 1000;
export const longestIndexLag = 3000;

const copy = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map(copy) as T;
  if (value instanceof Uint8Array) return Buffer.from(value) as T;
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, copy(field)])) as T;
};

const failed = ({ ReturnValuesOnConditionCheckFailure }: Write, item: Item | undefined) => ({
  Code: "ConditionalCheckFailed",
  Message: "The conditional request failed",
  ...(item && ReturnValuesOnConditionCheckFailure && { Item: marshall(item) }),
});

const indexKeys = [personIndex.partitionKey, personIndex.sortKey];
const positionOf = ({ pk, sk, ...item }: Stored, index: string | undefined): string =>
  index ? `${item[personIndex.sortKey]} ${pk} ${sk}` : sk;
const isSame = (a: Key, b: Key): boolean => a.pk === b.pk && a.sk === b.sk;

export const newEngine = (now: () => number) => {
  const tables = new Map<string, Table>();
  const tokens = new Set<string>();

  const partitionOf = (table: string, pk: string): Partition => {
    const { partitions } = tables.get(table) ?? fail("ResourceNotFoundException");
    const found = partitions.get(pk) ?? new Map();
    partitions.set(pk, found);
    return found;
  };
  const fail = (name: string): never => {
    throw Object.assign(new Error(name), { name });
  };
  const at = (versions: Version[] = [], time: number): Stored | undefined =>
    versions.findLast((version) => version.at <= time)?.item;
  const read = (table: string, { pk, sk }: Key, time = now()): Stored | undefined =>
    at(partitionOf(table, pk).get(sk), time);
  const write = (table: string, { pk, sk }: Key, item: Stored | undefined): void => {
    const partition = partitionOf(table, pk);
    const versions = partition.get(sk) ?? [];
    const needed = versions.findLastIndex((version) => version.at <= now() - longestIndexLag);
    partition.set(sk, [...versions.slice(Math.max(0, needed)), { at: now(), item: item && copy(item) }]);
  };
  const everything = function* (table: string, time = now()): Generator<Stored> {
    for (const partition of tables.get(table)?.partitions.values() ?? []) {
      for (const versions of partition.values()) {
        const item = at(versions, time);
        if (item) yield item;
      }
    }
  };

  const inPartition = (table: string, { ExpressionAttributeValues = {} }: Input, time: number): Stored[] =>
    [...partitionOf(table, String(ExpressionAttributeValues[":pk"])).values()].flatMap(
      (versions) => at(versions, time) ?? [],
    );
  /** The index has only keys, and only items that have all of them. */
  const indexed = (table: string, time: number): Stored[] =>
    [...everything(table, time)]
      .filter((item) => indexKeys.every((name) => item[name] !== undefined))
      .map(({ pk, sk, ...item }) => ({ pk, sk, ...Object.fromEntries(indexKeys.map((name) => [name, item[name]])) }));

  const projected = (
    item: Stored,
    { ProjectionExpression, ExpressionAttributeNames = {} }: Pick<Input, "ProjectionExpression"> & Expressions,
  ): Item => {
    const names = ProjectionExpression?.split(", ").map((name) => ExpressionAttributeNames[name] ?? name);
    return copy(names ? Object.fromEntries(names.map((name) => [name, item[name]])) : item);
  };
  const keyOf = ({ Item, Key }: Write): Key => Item ?? Key ?? fail("ValidationException");
  const isAllowed = (change: Write): boolean =>
    holds(change.ConditionExpression, read(change.TableName, keyOf(change)), change);
  const apply = (change: Write): void => {
    const key = keyOf(change);
    const { TableName, UpdateExpression, Item } = change;
    const old = read(TableName, key);
    const after = UpdateExpression ? updated(UpdateExpression, old ?? { ...key }, change) : Item;
    write(TableName, key, after as Stored | undefined);
  };
  const writeOne = (change: Write) => {
    const old = read(change.TableName, keyOf(change));
    if (!isAllowed(change)) {
      throw new ConditionalCheckFailedException({ message: "The conditional request failed", $metadata: {} });
    }
    apply(change);
    return change.ReturnValues === "ALL_OLD" && old ? { Attributes: copy(old) } : {};
  };

  const commands: Record<string, (input: Input, lag: number) => object> = {
    GetCommand: ({ TableName, Key = { pk: "", sk: "" } }, lag) => {
      const Item = read(TableName, Key, now() - lag);
      return Item ? { Item: copy(Item) } : {};
    },
    BatchGetCommand: ({ RequestItems = {} }, lag) => {
      const entries = Object.entries(RequestItems).map(([table, { Keys, ...rest }]) => {
        const items = Keys.flatMap((key) => read(table, key, now() - lag) ?? []);
        return [table, items.map((item) => projected(item, rest))];
      });
      return { Responses: Object.fromEntries(entries) };
    },
    QueryCommand: (input, lag) => {
      const { TableName, IndexName, ExclusiveStartKey, Limit, ScanIndexForward = true } = input;
      const all = IndexName ? indexed(TableName, now() - lag) : inPartition(TableName, input, now() - lag);
      const items = all
        .filter((item) => holds(input.KeyConditionExpression, item, input))
        .sort((a, b) => (positionOf(a, IndexName) < positionOf(b, IndexName) ? -1 : 1));
      if (!ScanIndexForward) items.reverse();
      const isAfter = (item: Stored, start: Stored) =>
        positionOf(item, IndexName) > positionOf(start, IndexName) === ScanIndexForward && !isSame(item, start);
      const left = items.filter((item) => !ExclusiveStartKey || isAfter(item, ExclusiveStartKey));
      const found = left.slice(0, Limit);
      const last = found.length === Limit ? found.at(-1) : undefined;
      const LastEvaluatedKey = last && (IndexName ? copy(last) : { pk: last.pk, sk: last.sk });
      return { Items: found.map((item) => projected(item, input)), ...(last && { LastEvaluatedKey }) };
    },
    ScanCommand: (input, lag) => {
      // One of eight parallel scans gets everything: the engine has no physical partitions.
      const items = input.Segment ? [] : [...everything(input.TableName, now() - lag)];
      const passing = items.filter((item) => holds(input.FilterExpression, item, input));
      return { Items: passing.slice(0, input.Limit).map((item) => projected(item, input)) };
    },
    PutCommand: writeOne,
    UpdateCommand: writeOne,
    DeleteCommand: writeOne,
    TransactWriteCommand: ({ ClientRequestToken = "", ...input }) => {
      if (tokens.has(ClientRequestToken)) return {};
      const changes = writesOf(input);
      const keys = new Set(changes.map((change) => `${keyOf(change).pk} ${keyOf(change).sk}`));
      if (keys.size < changes.length) fail("ValidationException");
      if (!changes.every(isAllowed)) {
        const CancellationReasons = changes.map((change) =>
          isAllowed(change) ? { Code: "None" } : failed(change, read(change.TableName, keyOf(change))),
        );
        throw new TransactionCanceledException({ message: "cancelled", $metadata: {}, CancellationReasons });
      }
      for (const change of changes) apply(change);
      tokens.add(ClientRequestToken);
      return {};
    },
    DescribeTableCommand: ({ TableName }) => {
      const { created } = tables.get(TableName) ?? fail("ResourceNotFoundException");
      const KeySchema = [{ AttributeName: "pk" }, { AttributeName: "sk" }];
      return {
        Table: {
          TableArn: TableName,
          CreationDateTime: created,
          KeySchema,
          GlobalSecondaryIndexes: [{ IndexName: personIndex.name }],
          DeletionProtectionEnabled: true,
        },
      };
    },
    DescribeTimeToLiveCommand: () => ({
      TimeToLiveDescription: { TimeToLiveStatus: "ENABLED", AttributeName: "expires_at" },
    }),
    DescribeContinuousBackupsCommand: () => fail("UnknownOperationException"),
  };

  return {
    /** @param lag how old the data of a read are that need not be consistent, in milliseconds */
    call: (name: string, input: Input, lag = 0): object => {
      const command = commands[name] ?? fail(`${name} is not simulated`);
      return command(input, input.ConsistentRead ? 0 : lag);
    },
    items: (table: string): Stored[] => [...everything(table)],
    find: read,
    remove: (table: string, key: Key): void => write(table, key, undefined),
    /** Creates an empty table, or restores a copy of another one. */
    create: (table: string, from?: string): void => {
      const items = from === undefined ? [] : [...everything(from)];
      tables.set(table, { partitions: new Map(), created: new Date(now()) });
      for (const item of items) write(table, item, item);
    },
  };
};
export type Engine = ReturnType<typeof newEngine>;
