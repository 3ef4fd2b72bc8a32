/** Makes several writes in one transaction, and retries it after a lost response, a conflict or throttling. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CancellationReason,
  TransactionCanceledException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { uptimeMs } from "../time/clock.ts";
import { getItem } from "./get.ts";
import { backoff, longestConflictMs, longestThrottlingMs, patiently, throttlingCodes } from "./retry.ts";
import type { Table } from "./table.ts";
import type { Item, Write } from "./writes.ts";

export type FailedConditions = {
  /** The existing item that made the write's condition fail; `undefined` if the condition holds or there is no item. */
  get<Stored extends object>(write: Write<Stored>): Stored | undefined;
  /** Also true if the condition fails because there is no item. */
  has(write: Write): boolean;
};

type Entry = readonly [Write, Item | undefined];

const failedConditions = (entries: readonly Entry[]): FailedConditions => {
  const items = new Map(entries);
  return {
    get: (write) => {
      const item = items.get(write);
      return write.fails(item) ? item : undefined;
    },
    has: (write) => items.has(write),
  };
};

const conflict = "TransactionConflict";
const failedCondition = "ConditionalCheckFailed";
const ours = new Set([conflict, failedCondition, ...throttlingCodes]);

/** Rethrows the error unless the transaction goes on, or a failed condition, a conflict or throttling cancelled it. */
const readReasons = (error: unknown): CancellationReason[] => {
  // An earlier attempt is still running; a retry with the same token will get its result.
  if (error instanceof TransactionInProgressException) return [];
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  if (!reasons.some(({ Code = "" }) => ours.has(Code))) throw error;
  return reasons;
};

const reportedFailures = (writes: readonly Write[], reasons: readonly CancellationReason[]): Entry[] =>
  writes.flatMap((write, index) => {
    const { Code, Item } = reasons[index] ?? {};
    return Code === failedCondition ? [[write, Item && unmarshall(Item)]] : [];
  });

/** After a conflict, DynamoDB doesn't report failed conditions, so we read the items and check them ourselves. */
const readFailures = async (table: Table, writes: readonly Write[], abortSignal: AbortSignal): Promise<Entry[]> => {
  const read = async (write: Write): Promise<Entry> => [
    write,
    await getItem<Item>(table, write.key, { consistent: true, abortSignal }),
  ];
  return (await Promise.all(writes.map(read))).filter(([write, item]) => write.fails(item));
};

const transactOnce = async (
  table: Table,
  writes: readonly Write[],
  longestThrottling: number,
): Promise<FailedConditions | null> => {
  const startedAt = uptimeMs();
  const timeLeft = (table.deadline ?? Number.POSITIVE_INFINITY) - startedAt;
  const signal = AbortSignal.timeout(Math.floor(Math.max(0, Math.min(timeLeft, longestConflictMs))));
  const command = new TransactWriteCommand({
    TransactItems: writes.map(({ transactItem }) => transactItem),
    ClientRequestToken: randomUUID(),
  });

  try {
    // The signal ends this loop.
    for (let attempts = 0; ; attempts++) {
      const sent = table.client.send(command, { abortSignal: signal });
      const reasons = await sent.then(() => null, readReasons);
      if (!reasons) return null;
      const codes = new Set(reasons.map(({ Code = "" }) => Code));
      const wasThrottled = !codes.isDisjointFrom(throttlingCodes);
      if (codes.has(failedCondition) && !codes.has(conflict) && !wasThrottled) {
        return failedConditions(reportedFailures(writes, reasons));
      }
      const delay = backoff(attempts, 25, 1000);
      if (wasThrottled && uptimeMs() + delay > startedAt + longestThrottling) {
        // A cancelled transaction has no ThrottlingReasons, but says in words which limit each write has met.
        const ThrottlingReasons = reasons
          .filter(({ Code = "" }) => throttlingCodes.has(Code))
          .map(({ Code, Message = "" }) => ({ reason: `${Code} ${Message}`.trim() }));
        throw Object.assign(new Error("The table stayed throttled"), {
          name: "ThrottlingException",
          ThrottlingReasons,
        });
      }
      await sleep(delay, undefined, { signal });
      const inConflict = writes.filter((_, index) => reasons[index]?.Code === conflict);
      const failures = await readFailures(table, inConflict, signal);
      if (failures.length > 0) return failedConditions(failures);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new DOMException("The table stayed busy", { name: "TimeoutError", cause: error });
  }
};

/**
 * Makes all writes in one transaction, and returns `null` on success. If a condition fails, nothing is written, and we
 * return the failed conditions. A retry after a lost response has the same token, so it doesn't write twice.
 *
 * @throws TimeoutError if conflicts last longer than 20 seconds, or until the table's deadline
 * @throws ThrottlingException if throttling lasts longer than a second, or if who can wait has waited until the deadline
 */
export const transact = (table: Table, writes: readonly Write[]): Promise<FailedConditions | null> =>
  patiently(table, () => transactOnce(table, writes, longestThrottlingMs));

/** As {@link transact}, but throws at once if an item is throttled: the caller writes the others without it. */
export const transactUnlessThrottled = (table: Table, writes: readonly Write[]): Promise<FailedConditions | null> =>
  transactOnce(table, writes, 0);
