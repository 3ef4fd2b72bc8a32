/** Waiting for a table that is throttled, or does not answer, when breaking off would cost the caller more. */
import { setTimeout as sleep } from "node:timers/promises";
import { isThrottlingError, isTransientError } from "@smithy/core/retry";

/** Throttled, or without an answer: a network fault, a time-out or a 5xx of DynamoDB, after the SDK's retries. */
export const isUnavailability = (error: Error): boolean => {
  const fault = error as Error & { cause?: Error };
  return isThrottlingError(fault) || isTransientError(fault);
};

const defaultPatience = 60_000;

/** Full jitter: readers who were throttled together do not come back together. */
const backoff = (failures: number): number => Math.random() * Math.min(50 * 2 ** failures, 2000);

/**
 * The result of a call, which is made again while the table is unavailable.
 *
 * @param options.signal ends the wait when nobody needs the result any more
 * @param options.patience in milliseconds: after that, no other try is made
 * @throws what the last try threw, or what no further try can mend; an AbortError after the signal
 */
export const patiently = async <T>(
  call: () => Promise<T>,
  { signal, patience = defaultPatience }: { signal?: AbortSignal | undefined; patience?: number } = {},
): Promise<T> => {
  const deadline = performance.now() + patience;
  for (let failures = 1; ; failures++) {
    try {
      return await call();
    } catch (error) {
      if (!isUnavailability(error as Error) || performance.now() > deadline) throw error;
    }
    await sleep(backoff(failures), undefined, { signal });
  }
};
