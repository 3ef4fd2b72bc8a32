/** Errors as callers see them: thrown where they are found, turned into a response in one place. */
import { isServerError, isThrottlingError, isTransientError } from "@smithy/core/retry";
import { TableBusyError } from "../table/transact.ts";

/** An error with its HTTP status; `message` is one sentence for the caller. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Node.js reports a refused, reset or unresolved connection by code; the SDK's retries end in it. */
const networkFaults = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

const isUnavailability = (error: Error): boolean => {
  const fault = error as Error & { cause?: Error; code?: string };
  return (
    fault instanceof TableBusyError ||
    isThrottlingError(fault) ||
    isTransientError(fault) ||
    isServerError(fault) ||
    networkFaults.has(fault.code ?? "")
  );
};

/** What any error tells a caller. An error that is not ours is a `500`, or a `503` where the table failed. */
export const toApiError = (error: Error): ApiError => {
  if (error instanceof ApiError) return error;
  if (!isUnavailability(error)) return new ApiError(500, "Internal server error");
  return new ApiError(503, "The service is temporarily unavailable: please try again", {
    "Retry-After": "1",
  });
};
