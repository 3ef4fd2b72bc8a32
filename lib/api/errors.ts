/** Errors as callers see them: thrown where they are found, turned into a response in one place. */
import { isThrottlingError, isTransientError } from "@smithy/core/retry";
import { TableBusyError } from "../table/transact.ts";
import { type ErrorResponse, internalError, unavailable } from "./error-catalogue.ts";

/** An error that the caller is told of; most are in the {@link file://./error-catalogue.ts catalogue}. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, message, headers = {} }: ErrorResponse) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Throttled, or without an answer: a network fault, a time-out or a 5xx of DynamoDB, after the SDK's retries. */
const isUnavailability = (error: Error): boolean => {
  const fault = error as Error & { cause?: Error };
  return fault instanceof TableBusyError || isThrottlingError(fault) || isTransientError(fault);
};

/** What any error tells a caller. An error that is not ours is a `500`, or a `503` where the table failed. */
export const toApiError = (error: Error): ApiError => {
  if (error instanceof ApiError) return error;
  return new ApiError(isUnavailability(error) ? unavailable : internalError);
};
