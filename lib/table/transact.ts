/** Several writes or none. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { getItem } from "./get.ts";
import type { Table } from "./table.ts";
import type { Item, Write } from "./writes.ts";

/** Which writes of a transaction were refused, and by what. */
export type FailedConditions = {
  has(write: Write): boolean;
  /** The item that refused the write, as it is in the table. */
  get<Stored extends object>(write: Write<Stored>): Stored | undefined;
};

const failedConditions = (items: ReadonlyMap<Write, Item | undefined>): FailedConditions => ({
  has: (write) => items.has(write),
  get: (write) => {
    const item = items.get(write);
    return write.fails(item) ? item : undefined;
  },
});

/** Other transactions held the items, or the table was throttled, for longer than a caller waits. */
export class TableBusyError extends Error {
  override readonly name = "TableBusyError";
}

/** Within the 28 seconds that a function has, and the 29 that API Gateway waits for it. */
const defaultTimeoutMs = 20_000;

/** Full jitter: callers who collided do not collide again. */
const backoff = (failures: number): number => Math.random() * Math.min(20 * 2 ** failures, 1000);

type CancellationReason = { Code?: string; Item?: Parameters<typeof unmarshall>[0] };
type Cancellation = Error & { CancellationReasons?: CancellationReason[] };

const isCancellation = (error: unknown): error is Cancellation => error instanceof Error;

const conflict = "TransactionConflict";
const failedCondition = "ConditionalCheckFailed";
const throttling = ["ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"];
const passing = new Set([conflict, ...throttling]);

/** For each write, why the transaction did nothing; throws what no further try can mend. */
const readReasons = (error: unknown): CancellationReason[] => {
  if (!isCancellation(error)) throw error;
  // A try that got no answer is still running: the same token finds its result.
  if (error.name === "TransactionInProgressException") return [];
  const reasons = error.name === "TransactionCanceledException" ? (error.CancellationReasons ?? []) : [];
  const isOurs = ({ Code = "" }: CancellationReason) => Code === failedCondition || passing.has(Code);
  if (!reasons.some(isOurs)) throw error;
  return reasons;
};

/** What DynamoDB found in the way of the writes. */
const failedConditionsOf = (
  writes: readonly Write[],
  reasons: readonly CancellationReason[],
): FailedConditions =>
  failedConditions(
    new Map(
      writes.flatMap((write, index) => {
        const { Code, Item } = reasons[index] ?? {};
        return Code === failedCondition ? [[write, Item && unmarshall(Item)]] : [];
      }),
    ),
  );

/** What stands in the way of the writes now, or `null` where nothing does. */
const readFailedConditions = async (
  table: Table,
  writes: readonly Write[],
  abortSignal: AbortSignal,
): Promise<FailedConditions | null> => {
  const read = async (write: Write) =>
    [write, await getItem<Item>(table, write.key, { consistent: true, abortSignal })] as const;
  const found = await Promise.all(writes.map(read));
  const failed = found.filter(([write, item]) => write.fails(item));
  return failed.length > 0 ? failedConditions(new Map(failed)) : null;
};

/**
 * Makes all writes, or none: then it returns what stood in the way. One token serves every try, so that a try
 * whose answer was lost counts as made (DynamoDB remembers a token for 10 minutes).
 *
 * DynamoDB refuses a transaction that meets another one on an item. What the other has written mostly decides
 * this one, so it is read before anything is sent again.
 *
 * @throws TableBusyError when conflicts or throttling last longer than 20 seconds.
 *
 * @example
 * const member = putIfAbsent(table, memberKey(account_id, user_id), fields, now);
 * const failed = await transact(table, [member]);
 * if (failed?.has(member)) return "a member already";
 */
export const transact = async (table: Table, writes: readonly Write[]): Promise<FailedConditions | null> => {
  const signal = AbortSignal.timeout(table.transactTimeoutMs ?? defaultTimeoutMs);
  const command = new TransactWriteCommand({
    TransactItems: writes.map(({ transactItem }) => transactItem),
    ClientRequestToken: randomUUID(),
    ReturnConsumedCapacity: "TOTAL",
  });

  /** Returns the reasons of a try that did nothing, or `null` when it was made. */
  const attempt = async (): Promise<CancellationReason[] | null> => {
    try {
      await table.client.send(command, { abortSignal: signal });
      return null;
    } catch (error) {
      return readReasons(error);
    }
  };

  try {
    for (let failures = 0; ; failures++) {
      const reasons = await attempt();
      if (!reasons) return null;
      const isRetryable = reasons.length === 0 || reasons.some(({ Code = "" }) => passing.has(Code));
      if (!isRetryable) return failedConditionsOf(writes, reasons);
      await sleep(backoff(failures), undefined, { signal });
      const met = writes.filter((_, index) => reasons[index]?.Code === conflict);
      const failed = await readFailedConditions(table, met, signal);
      if (failed) return failed;
    }
  } catch (error) {
    throw signal.aborted ? new TableBusyError("The table stayed busy", { cause: error }) : error;
  }
};
