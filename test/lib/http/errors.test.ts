/** The response to each kind of error. */
import { expect, test } from "vitest";
import { toApiError } from "../../../lib/http/errors.ts";

const named = (name: string) => Object.assign(new Error("detail"), { name });
const coded = (code: string) => Object.assign(new Error("detail"), { code });
const httpError = (httpStatusCode: number) => Object.assign(named("SomeException"), { $metadata: { httpStatusCode } });

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
  expect(toApiError(error)).toMatchObject({ status: 503, message });
});

test("Callers that get a 503 together come back after different times, of 1 to 3 seconds", () => {
  const waits = Array.from({ length: 200 }, () => toApiError(named("ThrottlingException")).headers);

  expect(new Set(waits.map((headers) => headers["Retry-After"]))).toEqual(new Set(["1", "2", "3"]));
});

test.each([named("AccessDeniedException"), named("ValidationException"), httpError(400), coded("ENOENT")])(
  "Any other error (%o) is a 500 without its detail",
  (error) => {
    expect(toApiError(error)).toMatchObject({ status: 500, message: "Internal server error", headers: {} });
  },
);
