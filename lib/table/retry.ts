/** Retries in addition to the SDK's own, for calls whose failure would cost more than the wait. */
import { setTimeout as sleep } from "node:timers/promises";
import { isThrottlingError, isTransientError } from "@smithy/core/retry";

const isSdkError = (error: unknown): error is Error & { cause?: Error } => error instanceof Error;

export const isThrottled = (error: unknown): boolean => isSdkError(error) && isThrottlingError(error);

/** Returns whether the table is throttled or unreachable: a network error, a timeout, or a 5xx from DynamoDB. */
export const isUnavailable = (error: unknown): boolean =>
  isSdkError(error) && (isThrottled(error) || isTransientError(error));

const defaultTimeoutMs = 60_000;

/** Full jitter, so that throttled callers do not retry at the same time. */
const backoff = (failures: number): number => Math.random() * Math.min(50 * 2 ** failures, 2000);

type Options = {
  isRetryable?: (error: unknown) => boolean;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
};

/**
 * Makes a call, and retries it with exponential backoff. Returns the result.
 *
 * @param options.isRetryable by default, errors of an unavailable table are retried
 * @param options.signal ends the retries with an AbortError
 * @param options.timeoutMs no retry starts later; by default 60,000
 * @throws the error of the last attempt
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

/** Retries a single write while it is throttled or in conflict with a transaction. The SDK does not retry conflicts. */
export const retryWrite = <T>(write: () => Promise<T>): Promise<T> =>
  retry(write, { isRetryable: isWriteRetryable });
