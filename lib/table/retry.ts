/** Waiting for a table that is throttled, or does not answer, when breaking off would cost more. */
import { setTimeout as sleep } from "node:timers/promises";
import { isThrottlingError, isTransientError } from "@smithy/core/retry";

const isSdkError = (error: unknown): error is Error & { cause?: Error } => error instanceof Error;

export const isThrottled = (error: unknown): boolean => isSdkError(error) && isThrottlingError(error);

/** Throttled, or without an answer: a network fault, a time-out or a 5xx of DynamoDB, after the SDK's retries. */
export const isUnavailable = (error: unknown): boolean =>
  isSdkError(error) && (isThrottled(error) || isTransientError(error));

const defaultTimeoutMs = 60_000;

/** Full jitter: readers who were throttled together do not come back together. */
const backoff = (failures: number): number => Math.random() * Math.min(50 * 2 ** failures, 2000);

type Options = {
  isRetryable?: (error: unknown) => boolean;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
};

/**
 * The result of a call, which is made again while the table is unavailable.
 *
 * @param options.isRetryable tells what another try may mend, where that is not the table's being unavailable
 * @param options.signal ends the wait when nobody needs the result any more
 * @param options.timeoutMs in milliseconds: after that, no other try is made
 * @throws what the last try threw, or what no further try can mend; an AbortError after the signal
 */
export const retry = async <T>(
  call: () => Promise<T>,
  { isRetryable = isUnavailable, signal, timeoutMs = defaultTimeoutMs }: Options = {},
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  for (let failures = 1; ; failures++) {
    try {
      return await call();
    } catch (error) {
      if (!isRetryable(error) || performance.now() > deadline) throw error;
    }
    await sleep(backoff(failures), undefined, { signal });
  }
};

const isWriteRetryable = (error: unknown): boolean =>
  isThrottled(error) || (error instanceof Error && error.name === "TransactionConflictException");

/**
 * The same for a single write that DynamoDB turns away for now: the table or the partition is throttled, or a
 * transaction is under way on the item. The SDK makes no other try for the latter. A table that does not answer is
 * not waited for.
 */
export const retryWrite = <T>(write: () => Promise<T>): Promise<T> =>
  retry(write, { isRetryable: isWriteRetryable });
