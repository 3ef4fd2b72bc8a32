/**
 * The simulated table with DynamoDB's limits, behind the real SDK. A call is throttled if a bucket of its keys is empty. A
 * bucket fills up every second, and a call may overdraw it once.
 *
 *   every partition key           3,000 read units a second    1,000 write units
 *   a new table                  12,000                        4,000
 *   each of its four partitions   3,000                        1,000              if `partitions` is given
 *
 * The index has the same limits. A write that changes an item's place in it needs one unit there for each place.
 */
import {
  ProvisionedThroughputExceededException,
  type ServiceInputTypes,
  type ServiceOutputTypes,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { FinalizeRequestMiddleware } from "@smithy/types";
import { itemTypes } from "../../lib/table/keys.ts";
import { openTable, type Table } from "../../lib/table/table.ts";
import { type Input, newEngine, type Stored, writesOf } from "./engine.ts";
import { replaceTime, sleep, trueTime, until } from "./time.ts";

type Kind = "read" | "write";
type Output = { Item?: Stored; Items?: Stored[] };

export type Limits = {
  /** The capacity of the whole table, in units a second. */
  table: Record<Kind, number>;
  /** The number of physical partitions among which the partition keys lie at random. */
  partitions?: number;
};

export const newTable: Limits = { table: { read: 12_000, write: 4000 } };
export const grownTable: Limits = { table: { read: 120_000, write: 40_000 } };

const perKey: Record<Kind, number> = { read: 3000, write: 1000 };

/** The bytes of a full segment. The simulation stores a few bytes instead, to be fast. */
export const segmentBytes = 338_000;
export const smallSegment = Buffer.from("segment");

const sum = (a: number, b: number): number => a + b;
const bytesOf = (value: unknown): number => {
  if (value instanceof Uint8Array) return smallSegment.equals(value) ? segmentBytes : value.length;
  if (value === null || typeof value !== "object") return Buffer.byteLength(String(value));
  const fields = Object.entries(value).map(
    ([name, field]) => 3 + bytesOf(field) + (Array.isArray(value) ? 0 : name.length),
  );
  return fields.reduce(sum, 0);
};
/** An item's keys in the index, if it is there. */
const placeOf = ({ person, created_at }: Partial<Stored> = {}): string[] =>
  person && created_at ? [String(person), String(created_at)] : [];
const unitsOf = (bytes: number, unit: number): number => Math.max(1, Math.ceil(bytes / unit));

const attributes = ["Item", "Key", "ExpressionAttributeValues", "ExclusiveStartKey"];
/** The input of a call as the document client was given it. */
const unmarshalled = <T>(input: T): T => {
  if (Array.isArray(input)) return input.map(unmarshalled) as T;
  if (input === null || typeof input !== "object") return input;
  const fields = Object.entries(input).map(([name, value]) => {
    if (name === "Keys") return [name, value.map((key: never) => unmarshall(key))];
    return [name, attributes.includes(name) && value ? unmarshall(value) : unmarshalled(value)];
  });
  return Object.fromEntries(fields);
};

const throttled = () => new ProvisionedThroughputExceededException({ message: "throttled", $metadata: {} });
const cancelled = (codes: string[]) => {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  return new TransactionCanceledException({ message: "cancelled", $metadata: {}, CancellationReasons });
};

/**
 * The table has its time, which lasts until the test ends.
 *
 * @param scale simulates a table with a fraction of the capacity, which needs a fraction of the calls
 */
export const limitedTable = (limits: Limits, scale = 1) => {
  replaceTime();
  const name = process.env.TABLE_NAME ?? "";
  const engine = newEngine(trueTime);
  engine.create(name);
  const held = new Set<string>();
  const buckets = new Map<string, { left: number; at: number }>();
  const partitionOf = new Map<string, number>();
  const used = { calls: {} as Record<string, number>, throttledAt: [] as number[], read: 0, write: 0 };
  let isLimited = true;
  let isHot = (_pk: string) => false;

  const bucket = (name: string, perSecond: number) => {
    const size = perSecond * scale;
    const now = trueTime();
    const { left, at } = buckets.get(name) ?? { left: size, at: now };
    const filled = { left: Math.min(size, left + ((now - at) / 1000) * size), at: now };
    buckets.set(name, filled);
    return filled;
  };
  const bucketsOf = (kind: Kind, pk: string) => {
    const isIndex = pk.startsWith(itemTypes.person);
    const whole = bucket(`${kind}s of the ${isIndex ? "index" : "table"}`, limits.table[kind]);
    const found = [bucket(`${kind} ${pk}`, perKey[kind]), whole];
    if (limits.partitions === undefined || isIndex) return found;
    const number = partitionOf.get(pk) ?? Math.floor(Math.random() * limits.partitions);
    partitionOf.set(pk, number);
    return [...found, bucket(`${kind} of ${number}`, perKey[kind])];
  };
  const admits = (kind: Kind, pk: string) =>
    !isLimited || (!isHot(pk) && bucketsOf(kind, pk).every(({ left }) => left > 0));
  const spend = (kind: Kind, pk: string, units: number) => {
    for (const one of bucketsOf(kind, pk)) one.left -= units;
    used[kind] += units;
  };

  /** A call takes about `ms`, and 30 ms for each megabyte. */
  const latency = (ms: number, bytes = 0) => sleep(ms - 2 * Math.log(1 - Math.random()) + bytes * 30e-6);
  const reject = async (error: Error): Promise<never> => {
    await sleep(2);
    throw error;
  };
  const throttle = () => {
    used.throttledAt.push(trueTime());
    return reject(throttled());
  };

  const read = async (command: string, input: Input): Promise<object> => {
    const { ":pk": ofTable, ":person": ofIndex } = input.ExpressionAttributeValues ?? {};
    const pk = input.Key?.pk ?? String(ofTable ?? ofIndex);
    if (!admits("read", pk)) return throttle();
    const { Item, Items = [Item] } = engine.call(command, { ...input, ProjectionExpression: undefined }) as Output;
    const bytes = Items.map((item) => bytesOf(item ?? "")).reduce(sum, 0);
    spend("read", pk, unitsOf(bytes, 4096) / (input.ConsistentRead ? 1 : 2));
    const output = engine.call(command, input);
    await latency(4, bytes);
    return output;
  };
  const readBatch = async (command: string, { RequestItems = {} }: Input): Promise<object> => {
    const keys = RequestItems[name]?.Keys ?? [];
    const admitted = keys.filter(({ pk }) => admits("read", pk));
    if (admitted.length === 0) return throttle();
    for (const key of admitted) spend("read", key.pk, unitsOf(bytesOf(engine.find(name, key) ?? ""), 4096) / 2);
    const output = engine.call(command, {
      RequestItems: { [name]: { ...RequestItems[name], Keys: admitted } },
    } as Input);
    await latency(4);
    const left = keys.filter((key) => !admitted.includes(key));
    return { ...output, ...(left.length > 0 && { UnprocessedKeys: { [name]: { Keys: left } } }) };
  };
  const write = async (command: string, input: Input): Promise<object> => {
    const isTransaction = input.TransactItems !== undefined;
    const writes = writesOf(input).map(({ Item, UpdateExpression, Key = Item ?? { pk: "", sk: "" } }) => {
      const before = engine.find(name, Key);
      const bytes = bytesOf(Item ?? before ?? "");
      // No update of an item changes its place in the index.
      const places = UpdateExpression ? [] : [placeOf(before), placeOf(Item)];
      const changed = places[0]?.join() === places[1]?.join() ? [] : places.flatMap(([person = []]) => person);
      return { pk: Key.pk, id: `${Key.pk} ${Key.sk}`, bytes, persons: changed };
    });
    const codes = writes.map(({ pk, id, persons }) => {
      if (isTransaction && held.has(id)) return "TransactionConflict";
      return [pk, ...persons].every((key) => admits("write", key)) ? "None" : "ThrottlingError";
    });
    if (codes.includes("ThrottlingError")) used.throttledAt.push(trueTime());
    if (codes.some((code) => code !== "None")) return reject(isTransaction ? cancelled(codes) : throttled());
    for (const { pk, bytes } of writes) spend("write", pk, unitsOf(bytes, 1024) * (isTransaction ? 2 : 1));
    for (const person of writes.flatMap(({ persons }) => persons)) spend("write", person, 1);
    for (const { id } of isTransaction ? writes : []) held.add(id);
    await latency(isTransaction ? 8 : 5, writes.map(({ bytes }) => bytes).reduce(sum, 0));
    for (const { id } of isTransaction ? writes : []) held.delete(id);
    return engine.call(command, input);
  };

  const call = async (command: string, input: Input): Promise<object> => {
    used.calls[command] = (used.calls[command] ?? 0) + 1;
    if (command === "BatchGetCommand") return readBatch(command, input);
    return /^(Get|Query)/.test(command) ? read(command, input) : write(command, input);
  };

  return {
    /** A client of its own, as each Lambda environment has one. Its retries are those of the SDK. */
    open: (options?: Parameters<typeof openTable>[0]): Table => {
      const table = openTable(options);
      const { middlewareStack } = table.client as DynamoDBDocumentClient;
      const simulated: FinalizeRequestMiddleware<ServiceInputTypes, ServiceOutputTypes> =
        (_next, { commandName = "" }) =>
        async ({ input }) => {
          const command = commandName.replace(/(Items?)?Command$/, "Command");
          const output = await call(command, unmarshalled(input) as Input);
          return { output: { ...output, $metadata: {} }, response: {} };
        };
      middlewareStack.addRelativeTo(simulated, { relation: "after", toMiddleware: "retryMiddleware" });
      return table;
    },
    items: (): Stored[] => engine.items(name),
    /** Throttles every call for these partition keys, as if others used them up. */
    heat: (isHotNow: typeof isHot) => {
      isHot = isHotNow;
    },
    /** Lets `prepare` do its work without limits. */
    unlimited: async <T>(prepare: Promise<T>): Promise<T> => {
      isLimited = false;
      const result = await until(prepare);
      isLimited = true;
      return result;
    },
    /** What was used since the last call: calls, throttled calls and capacity units. */
    take: () => {
      const taken = { ...used, all: Object.values(used.calls).reduce(sum, 0) };
      Object.assign(used, { calls: {}, throttledAt: [], read: 0, write: 0 });
      return taken;
    },
  };
};
