/** Errors as callers see them: thrown where they are found, turned into a response in one place. */
import { isUnavailable } from "../table/retry.ts";
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

/** What any error tells a caller. An error that is not ours is a `500`, or a `503` where the table failed. */
export const toApiError = (error: Error): ApiError => {
  if (error instanceof ApiError) return error;
  const tableFailed = error instanceof TableBusyError || isUnavailable(error);
  return new ApiError(tableFailed ? unavailable : internalError);
};
