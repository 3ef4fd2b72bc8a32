/**
 * A table with DynamoDB's limits, which the embedded engine lacks. Behind the real SDK, it keeps items in memory, and
 * throttles a call if a bucket of its keys is empty. A bucket fills up every second, and a call may overdraw it once.
 *
 *   every partition key           3,000 read units a second    1,000 write units
 *   a new table                  12,000                        4,000
 *   each of its four partitions   3,000                        1,000              if `partitions` is given
 */
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { openTable, type Table } from "../../lib/table/table.ts";

type Value = { S?: string; N?: string; B?: string; L?: Value[]; M?: Record<string, Value>; BOOL?: boolean };
type Item = Record<string, Value>;
type Write = { Item?: Item; Key?: Item; ConditionExpression?: string };
type Input = Write & {
  ConsistentRead?: boolean;
  Limit?: number;
  ExpressionAttributeValues?: Item;
  RequestItems?: Record<string, { Keys: Item[] }>;
  TransactItems?: { Put?: Write; Update?: Write }[];
};
type Kind = "read" | "write";
type Response = readonly [status: number, body: object];

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

const bytesOf = (value: Value): number => {
  if (value.B === smallSegment.toString("base64")) return segmentBytes;
  const parts = [...(value.L ?? []), ...Object.values(value.M ?? {})];
  const bytes = Buffer.byteLength(value.S ?? value.N ?? "") + Buffer.byteLength(value.B ?? "", "base64");
  return bytes + 3 + parts.map(bytesOf).reduce(sum, 0);
};
const sum = (a: number, b: number): number => a + b;
const sizeOf = (item: Item = {}): number =>
  Object.entries(item)
    .map(([name, value]) => name.length + bytesOf(value))
    .reduce(sum, 0);

const pkOf = (key: Item = {}): string => key.pk?.S ?? "";
const idOf = (key: Item = {}): string => `${pkOf(key)} ${key.sk?.S}`;
const keyOf = ({ Item, Key }: Write): Item => Item ?? Key ?? {};

/** @param scale simulates a table with a fraction of the capacity, which needs a fraction of the calls */
export const simulatedTable = (now: () => number, limits: Limits, scale = 1) => {
  const items = new Map<string, Item>();
  const held = new Set<string>();
  const buckets = new Map<string, { left: number; at: number }>();
  const partitionOf = new Map<string, number>();
  const used = {
    calls: {} as Record<string, number>,
    throttledAt: [] as number[],
    conflicts: 0,
    read: 0,
    write: 0,
  };
  let isLimited = true;
  let isHot = (_pk: string) => false;

  const bucket = (name: string, perSecond: number) => {
    const size = perSecond * scale;
    const { left, at } = buckets.get(name) ?? { left: size, at: now() };
    const filled = { left: Math.min(size, left + ((now() - at) / 1000) * size), at: now() };
    buckets.set(name, filled);
    return filled;
  };
  const bucketsOf = (kind: Kind, pk: string) => {
    const found = [bucket(`${kind} ${pk}`, perKey[kind]), bucket(`${kind}s`, limits.table[kind])];
    if (limits.partitions === undefined) return found;
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
  const spendRead = (pk: string, found: (Item | undefined)[], { ConsistentRead }: Input) => {
    const bytes = found.map((item) => sizeOf(item)).reduce(sum, 0);
    spend("read", pk, Math.max(1, Math.ceil(bytes / 4096)) / (ConsistentRead ? 1 : 2));
    return bytes;
  };
  const spendWrite = (write: Write, factor = 1) => {
    const bytes = sizeOf(write.Item ?? items.get(idOf(write.Key)));
    spend("write", pkOf(keyOf(write)), factor * Math.max(1, Math.ceil(bytes / 1024)));
    return bytes;
  };

  /** A call takes about `ms`, and 30 ms for each megabyte. */
  const latency = (ms: number, bytes = 0) => sleep(ms - 2 * Math.log(1 - Math.random()) + bytes * 30e-6);
  const fail = async (name: string, fields: object = {}): Promise<Response> => {
    used.throttledAt.push(now());
    await sleep(2);
    return [400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, ...fields }];
  };
  const throttled = () => fail("ProvisionedThroughputExceededException");
  const cancelled = (reasons: { Code: string }[]) =>
    fail("TransactionCanceledException", { CancellationReasons: reasons });

  const fails = ({ ConditionExpression = "", ...write }: Write): boolean => {
    const exists = items.has(idOf(keyOf(write)));
    return ConditionExpression.includes("attribute_exists(pk)")
      ? !exists
      : ConditionExpression.includes("attribute_not_exists(pk)") && exists;
  };
  const apply = ({ Item }: Write) => Item && items.set(idOf(Item), Item);

  const change = async (input: Input, apply: () => void): Promise<Response> => {
    if (!admits("write", pkOf(input.Key))) return throttled();
    spendWrite(input);
    await latency(5);
    apply();
    return [200, {}];
  };

  const calls: Record<string, (input: Input) => Promise<Response>> = {
    GetItem: async (input) => {
      const pk = pkOf(input.Key);
      if (!admits("read", pk)) return throttled();
      const Item = items.get(idOf(input.Key));
      await latency(4, spendRead(pk, [Item], input));
      return [200, { Item }];
    },
    BatchGetItem: async ({ RequestItems = {} }) => {
      const [[name, { Keys }] = ["", { Keys: [] }]] = Object.entries(RequestItems);
      const read = Keys.filter((key) => admits("read", pkOf(key)));
      if (read.length === 0) return throttled();
      const found = read.flatMap((key) => items.get(idOf(key)) ?? []);
      for (const key of read) spendRead(pkOf(key), [items.get(idOf(key))], {});
      await latency(4);
      return [200, { Responses: { [name]: found } }];
    },
    Query: async (input) => {
      const { ":pk": pk, ":from": from, ":sk": start = from } = input.ExpressionAttributeValues ?? {};
      if (!admits("read", pk?.S ?? "")) return throttled();
      const isWanted = ({ S = "" }: Value = {}) => (from ? S >= (from.S ?? "") : S.startsWith(start?.S ?? ""));
      const Items = [...items.values()]
        .filter((item) => pkOf(item) === pk?.S && isWanted(item.sk))
        .sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
        .slice(0, input.Limit);
      await latency(4, spendRead(pk?.S ?? "", Items, input));
      return [200, { Items }];
    },
    PutItem: async (input) => {
      if (!admits("write", pkOf(input.Item))) return throttled();
      const bytes = spendWrite(input);
      await latency(5, bytes);
      if (fails(input)) return [400, { __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException" }];
      apply(input);
      return [200, {}];
    },
    DeleteItem: (input) => change(input, () => items.delete(idOf(input.Key))),
    UpdateItem: (input) => change(input, () => {}),
    TransactWriteItems: async ({ TransactItems = [] }) => {
      const writes = TransactItems.map(({ Put, Update }) => Put ?? Update ?? {});
      const ids = writes.map((write) => idOf(keyOf(write)));
      const codeOf = (write: Write) => {
        if (held.has(idOf(keyOf(write)))) return "TransactionConflict";
        return admits("write", pkOf(keyOf(write))) ? "None" : "ThrottlingError";
      };
      const codes = writes.map(codeOf);
      if (codes.includes("TransactionConflict")) used.conflicts++;
      if (codes.some((code) => code !== "None")) return cancelled(codes.map((Code) => ({ Code })));
      for (const id of ids) held.add(id);
      for (const write of writes) spendWrite(write, 2);
      await latency(8);
      for (const id of ids) held.delete(id);
      const reasons = writes.map((write) =>
        fails(write) ? { Code: "ConditionalCheckFailed", Item: items.get(idOf(keyOf(write))) } : { Code: "None" },
      );
      if (reasons.some(({ Code }) => Code !== "None"))
        return [
          400,
          {
            __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            CancellationReasons: reasons,
          },
        ];
      for (const write of writes) apply(write);
      return [200, {}];
    },
  };

  const handle = async (
    request: { headers: Record<string, string>; body: Uint8Array },
    { abortSignal }: { abortSignal?: AbortSignal } = {},
  ) => {
    const operation = request.headers["x-amz-target"]?.split(".")[1] ?? "";
    used.calls[operation] = (used.calls[operation] ?? 0) + 1;
    const aborted = new Promise<never>((_, reject) => {
      const abort = () => reject(new DOMException("Request aborted", "AbortError"));
      abortSignal?.addEventListener("abort", abort, { once: true });
    });
    const call = calls[operation]?.(JSON.parse(new TextDecoder().decode(request.body)));
    if (!call) throw new Error(`The simulated table has no ${operation}`);
    const [statusCode, body] = await Promise.race([call, aborted]);
    return {
      response: { statusCode, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(body))]) },
    };
  };

  return {
    /** A client of its own, as each Lambda environment has one. */
    open: (options?: Parameters<typeof openTable>[0]): Table => {
      const table = openTable(options);
      const { config } = table.client as unknown as {
        config: { requestHandler: object; httpAuthSchemes: { signer: object }[] };
      };
      config.requestHandler = { metadata: { handlerProtocol: "http/1.1" }, handle };
      for (const scheme of config.httpAuthSchemes) scheme.signer = { sign: async (request: object) => request };
      return table;
    },
    items,
    /** Throttles every call for these partition keys, as if others used them up. */
    heat: (isHotNow: typeof isHot) => {
      isHot = isHotNow;
    },
    /** Runs `prepare` without limits. */
    unlimited: async <T>(prepare: Promise<T>): Promise<T> => {
      isLimited = false;
      const result = await prepare;
      isLimited = true;
      return result;
    },
    /** What was used since the last call: calls, throttled calls, conflicts and capacity units. */
    take: () => {
      const taken = { ...used, calls: { ...used.calls }, all: Object.values(used.calls).reduce(sum, 0) };
      Object.assign(used, { calls: {}, throttledAt: [], conflicts: 0, read: 0, write: 0 });
      return taken;
    },
  };
};
