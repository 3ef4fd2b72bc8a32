/** Long retries, for those who can wait. A request can't: one throttled account would occupy all 1,000 environments. */
import { setTimeout as sleep } from "node:timers/promises";
import { isThrottlingError, isTransientError } from "@smithy/core/retry";
import { uptimeMs } from "../time/clock.ts";

const isSdkError = (error: unknown): error is Error & { cause?: Error } => error instanceof Error;

export const isThrottled = (error: unknown): boolean => isSdkError(error) && isThrottlingError(error);

/** True for throttling, timeouts, lost connections and 5xx errors: a later call may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  isSdkError(error) && (isThrottled(error) || isTransientError(error));

/** A random delay in milliseconds. Without jitter, callers that were throttled together would also retry together. */
export const backoff = (failures: number, baseMs: number, maximumMs: number): number =>
  Math.random() * Math.min(baseMs * 2 ** failures, maximumMs);

type Options = {
  isRetryable?: (error: unknown) => boolean;
  signal?: AbortSignal | undefined;
  deadline?: number | undefined;
};

/**
 * Retries a call with exponential backoff until `deadline`.
 *
 * @param options.isRetryable by default, only errors of an unavailable table are retried
 * @param options.signal ends the retries with an AbortError
 * @param options.deadline the `uptimeMs()` after which the call is not retried; by default a minute from now
 */
export const retry = async <T>(
  call: () => Promise<T>,
  { isRetryable = isUnavailable, signal, deadline = uptimeMs() + 60_000 }: Options = {},
): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      return await call();
    } catch (error) {
      if (!isRetryable(error) || uptimeMs() > deadline) throw error;
    }
    await sleep(backoff(failures, 50, 2000), undefined, { signal });
  }
};

const isWriteRetryable = (error: unknown): boolean =>
  isThrottled(error) || (error instanceof Error && error.name === "TransactionConflictException");

/** Retries even a write that conflicted with a transaction, which the SDK doesn't. */
export const retryWrite = <T>(write: () => Promise<T>, deadline?: number): Promise<T> =>
  retry(write, { isRetryable: isWriteRetryable, deadline });

/** True if the write succeeded, false if its condition failed. */
export const succeeds = async (write: () => Promise<unknown>): Promise<boolean> => {
  try {
    await retryWrite(write);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};
