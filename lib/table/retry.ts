/**
 * How often and how long we call the table again. Nobody else retries.
 *
 *   a request      3 attempts of the SDK after 25 to 50 ms; a transaction waits 1 s for throttling, 20 s for a conflict
 *   who can wait   3 attempts of the SDK after 500 ms to 1 s; then again until the deadline, at most `mostTries` times
 *
 * A request must not wait longer: waiting adds no capacity, and one throttled account would occupy all 1,000 Lambda
 * environments. Imports and RecordEvents can wait, and so can a response that has begun, because it can't fail any more.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ConfiguredRetryStrategy, isThrottlingError, isTransientError } from "@smithy/core/retry";
import { uptimeMs } from "../time/clock.ts";
import type { Table } from "./table.ts";

/** More attempts keep Lambda environments busy: with six, an overloaded partition would occupy five times as many. */
const attempts = 3;

/** After a conflict with another transaction, we wait until it has ended. A function has 28 seconds to respond. */
export const longestConflictMs = 20_000;

/** Waiting doesn't make a throttled partition faster, so a request gives up after a second. */
export const longestThrottlingMs = 1000;

/** Who can wait gives up after a minute if the table has no deadline. */
const longestWaitMs = 60_000;

/** A socket's timeout notices only silence. One page of 1 MB, from a byte now and then, would take for ever. */
export const longestCallMs = (canWait: boolean): number => (canWait ? longestWaitMs : longestConflictMs);

/** The waits grow to two seconds, so the deadline comes first; this limit ends a loop whose clock stands still. */
const mostTries = 1000;

/** A random delay in milliseconds. Without jitter, callers that were throttled together would also retry together. */
export const backoff = (failures: number, baseMs: number, maximumMs: number): number =>
  Math.random() * Math.min(baseMs * 2 ** failures, maximumMs);

/** What the SDK itself does: writing a large message into a new table took 2.9 attempts per write with short waits, and 1.25 with long ones. */
export const sdkRetries = (canWait: boolean) => ({
  maxAttempts: attempts,
  retryStrategy: new ConfiguredRetryStrategy(attempts, (failures) =>
    canWait ? backoff(failures, 500, 2000) : backoff(failures, 25, 100),
  ),
});

/** The codes with which a cancelled transaction says that one of its writes was throttled. */
export const throttlingCodes: ReadonlySet<string> = new Set([
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
  "RequestLimitExceeded",
]);

const isSdkError = (error: unknown): error is Error & { cause?: Error } => error instanceof Error;

export const isThrottled = (error: unknown): boolean => isSdkError(error) && isThrottlingError(error);

/** True for throttling, timeouts, lost connections and 5xx errors: a later call may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  isSdkError(error) && (isThrottled(error) || isTransientError(error));

const isConflict = (error: unknown): boolean => isSdkError(error) && error.name === "TransactionConflictException";

/** Calls of the returned table end when the signal does, even halfway through a response. */
export const withSignal = <Limited extends Table>(table: Limited, signal: AbortSignal): Limited => {
  const send = async (command: never, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    const signals = AbortSignal.any(abortSignal ? [signal, abortSignal] : [signal]);
    try {
      return await table.client.send(command, { abortSignal: signals });
    } catch (error) {
      const isAborted = signal.aborted && error instanceof Error && error.name === "AbortError";
      if (!isAborted) throw error;
      throw new DOMException("The table was too slow", { name: "TimeoutError", cause: error });
    }
  };
  return { ...table, client: { send } };
};

/** Calls of the returned table end at the deadline, a value of `uptimeMs()`. */
export const until = (table: Table, deadline: number): Table => ({
  ...withSignal(table, AbortSignal.timeout(Math.max(0, Math.floor(deadline - uptimeMs())))),
  deadline,
});

type Options = {
  isRetryable?: (error: unknown) => boolean;
  signal?: AbortSignal | undefined;
  deadline?: number | undefined;
};

/**
 * Repeats a call for somebody who can wait.
 *
 * @param options.isRetryable by default, only errors of an unavailable table are retried
 * @param options.signal ends the retries with an AbortError
 * @param options.deadline the `uptimeMs()` after which the call is not retried; by default a minute from now
 */
export const retry = async <T>(
  call: () => Promise<T>,
  { isRetryable = isUnavailable, signal, deadline = uptimeMs() + longestWaitMs }: Options = {},
): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      return await call();
    } catch (error) {
      if (!isRetryable(error) || uptimeMs() > deadline || failures === mostTries) throw error;
    }
    await sleep(backoff(failures, 50, 2000), undefined, { signal });
  }
};

/** Makes a call once, or, for who can wait, again while the table is throttled. */
export const patiently = <T>(
  { canWait, deadline }: { readonly canWait?: boolean; readonly deadline?: number },
  call: () => Promise<T>,
): Promise<T> => (canWait ? retry(call, { isRetryable: isThrottled, deadline }) : call());

/** Retries a write that was throttled, or that conflicted with a transaction, which the SDK doesn't retry. */
export const retryWrite = <T>(write: () => Promise<T>, deadline?: number): Promise<T> =>
  retry(write, { isRetryable: (error) => isThrottled(error) || isConflict(error), deadline });

/** True if the write succeeded, false if its condition failed. */
export const succeeds = async (write: () => Promise<unknown>, deadline?: number): Promise<boolean> => {
  try {
    await retryWrite(write, deadline);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
};
