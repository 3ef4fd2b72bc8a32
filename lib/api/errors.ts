/** Errors that become responses. */
import { isUnavailable } from "../table/retry.ts";
import { TableBusyError } from "../table/transact.ts";
import { type ErrorResponse, internalError, unavailable } from "./error-catalogue.ts";

/** An error for the caller. Its texts are in the {@link file://./error-catalogue.ts catalogue}. */
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

/** Returns an `ApiError` unchanged. Returns `503` if the table is unavailable, and `500` for any other error. */
export const toApiError = (error: Error): ApiError => {
  if (error instanceof ApiError) return error;
  const tableFailed = error instanceof TableBusyError || isUnavailable(error);
  return new ApiError(tableFailed ? unavailable : internalError);
};
