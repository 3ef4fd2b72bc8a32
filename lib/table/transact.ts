/** Several writes or none. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Table } from "./table.ts";

export type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** The items whose conditions failed, by the write's name, as they are in the table. */
export type Refusal<Name extends string> = Partial<Record<Name, Record<string, unknown>>>;

/** Other transactions held the items, or the table was throttled, for longer than a caller waits. */
export class TableBusyError extends Error {
  override readonly name = "TableBusyError";
}

type CancellationReason = { Code?: string; Item?: Parameters<typeof unmarshall>[0] };

/**
 * DynamoDB refuses a transaction that meets another one on an item. Behind a proxy that does the same, at 10 ms
 * a transaction, 200 callers at once with one key are all answered within 5 seconds.
 */
const maximumTries = 50;
/** Full jitter: callers who collided do not collide again. About 9 seconds over all tries. */
const backoff = (failures: number): Promise<void> => sleep(Math.random() * Math.min(20 * 2 ** failures, 400));

const transient = new Set([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
  "RequestLimitExceeded",
]);

/** Why a transaction did nothing, in the order of its writes; `null` when it may yet go through. */
const readCancellation = (error: Error): CancellationReason[] | null => {
  // A try that got no answer is still running: the same token finds its result.
  if (error.name === "TransactionInProgressException") return null;
  if (error.name !== "TransactionCanceledException") throw error;
  const reasons =
    (error as unknown as { CancellationReasons?: CancellationReason[] }).CancellationReasons ?? [];
  if (reasons.some(({ Code }) => transient.has(Code ?? ""))) return null;
  if (reasons.some(({ Code }) => Code === "ConditionalCheckFailed")) return reasons;
  throw error;
};

/**
 * Makes all writes, or none: then it answers what stood in the way. One token serves every try, so that a
 * try whose answer was lost counts as made (DynamoDB remembers a token for 10 minutes).
 *
 * @throws TableBusyError when conflicts or throttling outlast 50 tries.
 */
export const transact = async <Name extends string>(
  table: Table,
  writes: Partial<Record<Name, Write>>,
): Promise<Refusal<Name> | null> => {
  const names = Object.keys(writes) as Name[];
  const command = new TransactWriteCommand({
    TransactItems: names.map((name) => writes[name] as Write),
    ClientRequestToken: randomUUID(),
    ReturnConsumedCapacity: "TOTAL",
  });
  for (let failures = 0; failures < maximumTries; failures++) {
    if (failures > 0) await backoff(failures);
    try {
      await table.client.send(command);
      return null;
    } catch (error) {
      const reasons = readCancellation(error as Error);
      if (!reasons) continue;
      const refused = names
        .map((name, index) => [name, reasons[index]] as const)
        .filter(([, reason]) => reason?.Code === "ConditionalCheckFailed")
        .map(([name, reason]) => [name, unmarshall(reason?.Item ?? {})] as const);
      return Object.fromEntries(refused) as Refusal<Name>;
    }
  }
  throw new TableBusyError("The table stayed busy");
};
