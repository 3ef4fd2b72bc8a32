/** Waiting for a table that is throttled, or does not answer, when breaking off would cost more. */
import { setTimeout as sleep } from "node:timers/promises";
import { isThrottlingError, isTransientError } from "@smithy/core/retry";

type SdkError = Error & { cause?: Error };

export const isThrottled = (error: Error): boolean => isThrottlingError(error as SdkError);

/** Throttled, or without an answer: a network fault, a time-out or a 5xx of DynamoDB, after the SDK's retries. */
export const isUnavailability = (error: Error): boolean =>
  isThrottled(error) || isTransientError(error as SdkError);

const defaultPatience = 60_000;

/** Full jitter: readers who were throttled together do not come back together. */
const backoff = (failures: number): number => Math.random() * Math.min(50 * 2 ** failures, 2000);

type Options = { mayPass?: (error: Error) => boolean; signal?: AbortSignal | undefined; patience?: number };

/**
 * The result of a call, which is made again while the table is unavailable.
 *
 * @param options.mayPass tells what another try may mend, where that is not the table's being unavailable
 * @param options.signal ends the wait when nobody needs the result any more
 * @param options.patience in milliseconds: after that, no other try is made
 * @throws what the last try threw, or what no further try can mend; an AbortError after the signal
 */
export const patiently = async <T>(
  call: () => Promise<T>,
  { mayPass = isUnavailability, signal, patience = defaultPatience }: Options = {},
): Promise<T> => {
  const deadline = performance.now() + patience;
  for (let failures = 1; ; failures++) {
    try {
      return await call();
    } catch (error) {
      if (!mayPass(error as Error) || performance.now() > deadline) throw error;
    }
    await sleep(backoff(failures), undefined, { signal });
  }
};

const isTurnedAway = (error: Error): boolean =>
  isThrottled(error) || error.name === "TransactionConflictException";

/**
 * The same for a single write that DynamoDB turns away for now: the table or the partition is throttled, or a
 * transaction is under way on the item. The SDK makes no other try for the latter. A table that does not answer is
 * not waited for.
 */
export const writePatiently = <T>(write: () => Promise<T>): Promise<T> =>
  patiently(write, { mayPass: isTurnedAway });
