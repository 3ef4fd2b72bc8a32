/** Retries a call after the SDK's own retries have failed, for callers that prefer a long wait to an error. */
import { setTimeout as sleep } from "node:timers/promises";
import { isThrottlingError, isTransientError } from "@smithy/core/retry";
import { uptimeMs } from "../time.ts";

const isSdkError = (error: unknown): error is Error & { cause?: Error } => error instanceof Error;

export const isThrottled = (error: unknown): boolean => isSdkError(error) && isThrottlingError(error);

/** Returns whether the error means that the table is throttled or unreachable, such as a timeout or a 5xx error. */
export const isUnavailable = (error: unknown): boolean =>
  isSdkError(error) && (isThrottled(error) || isTransientError(error));

/** Returns a retry's delay in milliseconds. Full jitter prevents failed callers from retrying at the same time. */
export const backoff = (failures: number, baseMs: number, maximumMs: number): number =>
  Math.random() * Math.min(baseMs * 2 ** failures, maximumMs);

type Options = {
  isRetryable?: (error: unknown) => boolean;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
};

/**
 * Makes a call, and retries a failed call with exponential backoff. Returns the call's result.
 *
 * @param options.isRetryable by default, errors of an unavailable table are retried
 * @param options.signal ends the retries with an AbortError
 * @param options.timeoutMs the time in milliseconds after which no attempt is retried; by default 60,000
 * @throws the error of the last attempt
 */
export const retry = async <T>(
  call: () => Promise<T>,
  { isRetryable = isUnavailable, signal, timeoutMs = 60_000 }: Options = {},
): Promise<T> => {
  const deadline = uptimeMs() + timeoutMs;
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

/** Retries a write after throttling or a transaction conflict. The SDK does not retry transaction conflicts. */
export const retryWrite = <T>(write: () => Promise<T>): Promise<T> =>
  retry(write, { isRetryable: isWriteRetryable });

/** Makes a conditional write. Returns true if the write succeeds, or false if the write's condition fails. */
export const succeeds = async (write: () => Promise<unknown>): Promise<boolean> => {
  try {
    await retryWrite(write);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};
