/** The one error class whose message a caller sees. */
import { isUnavailable } from "../table/retry.ts";
import { type ErrorResponse, internalError, unavailable } from "./error-catalogue.ts";

/** The {@link file://./error-catalogue.ts catalogue} lists all errors of the API. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, message, headers = {} }: ErrorResponse) {
    super(message);
    this.status = status;
    const one = (values: readonly string[]) => values[Math.floor(Math.random() * values.length)] ?? "";
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, one([values].flat())]));
  }
}

/** Any other error becomes a 503 if the table is unavailable, and a 500 otherwise. */
export const toApiError = (error: Error): ApiError => {
  if (error instanceof ApiError) return error;
  return new ApiError(isUnavailable(error) ? unavailable : internalError);
};
