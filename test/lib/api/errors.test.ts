/** The response to each kind of error. */
import { expect, test } from "vitest";
import { ApiError, toApiError } from "../../../lib/api/errors.ts";
import { TableBusyError } from "../../../lib/table/transact.ts";

const named = (name: string) => Object.assign(new Error("detail"), { name });
const coded = (code: string) => Object.assign(new Error("detail"), { code });
const httpError = (httpStatusCode: number) =>
  Object.assign(named("SomeException"), { $metadata: { httpStatusCode } });

const unavailable = {
  status: 503,
  message: "The service is temporarily unavailable: please try again",
  headers: { "Retry-After": "1" },
};

test.each([
  ...["ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"],
  ...["LimitExceededException", "TooManyRequestsException", "TransactionInProgressException"],
  ...["TimeoutError", "RequestTimeout", "RequestTimeoutException"],
])("%s is a 503", (name) => {
  expect(toApiError(named(name))).toMatchObject(unavailable);
});

test.each([
  ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
])("A connection that ends in %s is a 503", (code) => {
  expect(toApiError(coded(code))).toMatchObject(unavailable);
  expect(toApiError(new Error("detail", { cause: coded(code) }))).toMatchObject(unavailable);
});

test.each([500, 502, 503, 504])("A %i of DynamoDB is a 503", (status) => {
  expect(toApiError(httpError(status))).toMatchObject(unavailable);
});

test("A table that stays busy is a 503", () => {
  expect(toApiError(new TableBusyError("detail"))).toMatchObject(unavailable);
});

test.each([named("AccessDeniedException"), named("ValidationException"), httpError(400), coded("ENOENT")])(
  "Any other error (%o) is a 500 without its detail",
  (error) => {
    expect(toApiError(error)).toMatchObject({ status: 500, message: "Internal server error", headers: {} });
  },
);

test("An ApiError does not change", () => {
  const error = new ApiError({ status: 404, message: "Message not found" });

  expect(toApiError(error)).toBe(error);
});
