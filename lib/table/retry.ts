/**
 * Retries. Waiting adds no capacity to a throttled partition: a request that retried for 20 seconds would hold one of
 * the AWS account's 1,000 Lambda environments for as long, and twice the load of one account would take them all. So a
 * request gives up within a second. A stream that has begun, an import and RecordEvents can wait, and do.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isThrottlingError, isTransientError } from "@smithy/core/retry";
import { uptimeMs } from "../time.ts";

const isSdkError = (error: unknown): error is Error & { cause?: Error } => error instanceof Error;

export const isThrottled = (error: unknown): boolean => isSdkError(error) && isThrottlingError(error);

/** Whether the table is throttled or unreachable, for example after a timeout or a 5xx error. */
export const isUnavailable = (error: unknown): boolean =>
  isSdkError(error) && (isThrottled(error) || isTransientError(error));

/**
 * A retry's delay in milliseconds, with full jitter: callers that were throttled together would otherwise come back
 * together.
 */
export const backoff = (failures: number, baseMs: number, maximumMs: number): number =>
  Math.random() * Math.min(baseMs * 2 ** failures, maximumMs);

type Options = {
  isRetryable?: (error: unknown) => boolean;
  signal?: AbortSignal | undefined;
  deadline?: number | undefined;
};

/**
 * Makes a call, and retries it with exponential backoff for longer than the SDK does.
 *
 * @param options.isRetryable by default, errors of an unavailable table are retried
 * @param options.signal ends the retries with an AbortError
 * @param options.deadline `uptimeMs()` after which no attempt is retried; by default a minute from now
 * @throws the error of the last attempt
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

/** Retries a write after throttling, and after a conflict with a transaction, which the SDK does not retry. */
export const retryWrite = <T>(write: () => Promise<T>, deadline?: number): Promise<T> =>
  retry(write, { isRetryable: isWriteRetryable, deadline });

/** Makes a conditional write. Returns whether the condition was true. */
export const succeeds = async (write: () => Promise<unknown>): Promise<boolean> => {
  try {
    await retryWrite(write);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};
