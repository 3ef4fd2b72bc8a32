/** The response to each kind of error. */
import { expect, test } from "vitest";
import { toApiError } from "../../../lib/api/errors.ts";

const named = (name: string) => Object.assign(new Error("detail"), { name });
const coded = (code: string) => Object.assign(new Error("detail"), { code });
const httpError = (httpStatusCode: number) =>
  Object.assign(named("SomeException"), { $metadata: { httpStatusCode } });

const names = [
  ...["ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"],
  ...["LimitExceededException", "TooManyRequestsException", "TransactionInProgressException"],
  ...["TimeoutError", "RequestTimeout", "RequestTimeoutException"],
];
const codes = [
  ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
];

test.each([
  ...names.map(named),
  ...codes.map(coded),
  ...codes.map((code) => new Error("detail", { cause: coded(code) })),
  ...[500, 502, 503, 504].map(httpError),
])("An unavailable table (%o) is a 503", (error) => {
  const message = "The service is temporarily unavailable: please try again";
  expect(toApiError(error)).toMatchObject({ status: 503, message, headers: { "Retry-After": "1" } });
});

test.each([named("AccessDeniedException"), named("ValidationException"), httpError(400), coded("ENOENT")])(
  "Any other error (%o) is a 500 without its detail",
  (error) => {
    expect(toApiError(error)).toMatchObject({ status: 500, message: "Internal server error", headers: {} });
  },
);
