/** Transactions. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CancellationReason,
  TransactionCanceledException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { getItem } from "./get.ts";
import { backoff } from "./retry.ts";
import type { Table } from "./table.ts";
import type { Item, Write } from "./writes.ts";

/** The writes whose conditions failed in a transaction. */
export type FailedConditions = {
  /** Returns the existing item that made the condition fail. Returns `undefined` if no item exists. */
  get<Stored extends object>(write: Write<Stored>): Stored | undefined;
};

type Entry = readonly [Write, Item | undefined];

const failedConditions = (entries: readonly Entry[]): FailedConditions => {
  const items = new Map(entries);
  return {
    get: (write) => {
      const item = items.get(write);
      return write.fails(item) ? item : undefined;
    },
  };
};

/** A transaction must end before the function's timeout, which is 28 seconds for buffered responses. */
const timeoutMs = 20_000;

const conflict = "TransactionConflict";
const failedCondition = "ConditionalCheckFailed";
const throttling = ["ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"];
const retryable = new Set([conflict, ...throttling]);

/** Returns each write's cancellation reason if a condition failed or a retry can help. Throws all other errors. */
const readReasons = (error: unknown): CancellationReason[] => {
  // DynamoDB is still processing an earlier attempt. A retry with the same token returns the earlier attempt's result.
  if (error instanceof TransactionInProgressException) return [];
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  const isOurs = ({ Code = "" }: CancellationReason) => Code === failedCondition || retryable.has(Code);
  if (!reasons.some(isOurs)) throw error;
  return reasons;
};

/** Returns the writes whose conditions DynamoDB reports as failed, with the existing items. */
const reportedFailures = (writes: readonly Write[], reasons: readonly CancellationReason[]): Entry[] =>
  writes.flatMap((write, index) => {
    const { Code, Item } = reasons[index] ?? {};
    return Code === failedCondition ? [[write, Item && unmarshall(Item)]] : [];
  });

/** Reads the items that the writes would change, and returns the writes whose conditions would fail now. */
const readFailures = async (
  table: Table,
  writes: readonly Write[],
  abortSignal: AbortSignal,
): Promise<Entry[]> => {
  const read = async (write: Write): Promise<Entry> => [
    write,
    await getItem<Item>(table, write.key, { consistent: true, abortSignal }),
  ];
  return (await Promise.all(writes.map(read))).filter(([write, item]) => write.fails(item));
};

/**
 * Makes all writes in one transaction. Returns `null` if the transaction succeeds. If a condition fails, writes nothing
 * and returns the failed conditions. All attempts send one idempotency token, so a retry after a lost response does not
 * repeat the writes.
 *
 * DynamoDB cancels a transaction if a parallel transaction writes the same items. After a conflict, `transact` reads
 * the items that caused the conflict. If one of the items makes a condition fail, `transact` returns the failed
 * condition, because a retry would fail, too.
 *
 * @throws TimeoutError if conflicts or throttling last longer than 20 seconds
 *
 * @example
 * const member = putIfAbsent(table, memberKey(account_id, user_id), fields, now);
 * const failed = await transact(table, [member]);
 * if (failed?.get(member)) return "a member already";
 */
export const transact = async (table: Table, writes: readonly Write[]): Promise<FailedConditions | null> => {
  const signal = AbortSignal.timeout(timeoutMs);
  const command = new TransactWriteCommand({
    TransactItems: writes.map(({ transactItem }) => transactItem),
    ClientRequestToken: randomUUID(),
    ReturnConsumedCapacity: "TOTAL",
  });

  try {
    for (let attempts = 0; ; attempts++) {
      const sent = table.client.send(command, { abortSignal: signal });
      const reasons = await sent.then(() => null, readReasons);
      if (!reasons) return null;
      const isRetryable = reasons.length === 0 || reasons.some(({ Code = "" }) => retryable.has(Code));
      if (!isRetryable) return failedConditions(reportedFailures(writes, reasons));
      await sleep(backoff(attempts, 20, 1000), undefined, { signal });
      const inConflict = writes.filter((_, index) => reasons[index]?.Code === conflict);
      const failures = await readFailures(table, inConflict, signal);
      if (failures.length > 0) return failedConditions(failures);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new DOMException("The table stayed busy", { name: "TimeoutError", cause: error });
  }
};
