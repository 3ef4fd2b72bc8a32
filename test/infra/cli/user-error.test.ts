/** The line that an error becomes. test/infra/admin/main.test.ts provokes the usual errors with real programs. */
import { beforeEach, expect, test, vi } from "vitest";
import { describe, toUserError, UserError } from "../../../infra/cli/user-error.ts";

const failed = (fields: object, message = "") => Object.assign(new Error(message), fields);
const expired = "Your AWS credentials have expired. Sign in again, and run the command again";
const deployed = { AWS_ENDPOINT_URL_DYNAMODB: undefined, TABLE_NAME: "EmailApi-dev" };
const local = { AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:8000", TABLE_NAME: "email-api" };

beforeEach(() => {
  for (const [name, value] of Object.entries(deployed)) vi.stubEnv(name, value);
});

test.each([
  [expired, failed({ name: "ExpiredToken", $fault: "client" })],
  [expired, failed({ name: "ExpiredTokenException", $fault: "client" })],
  [
    expired,
    failed({ name: "TokenProviderError" }, "Token is expired. To refresh this SSO session run 'aws sso login'"),
  ],
  [expired, failed({ name: "CredentialsProviderError" }, "The SSO session has Expired")],
  [
    'No AWS credentials were found. Run "aws configure", set AWS_PROFILE, or pass --local',
    failed({ name: "CredentialsProviderError" }, "Could not load credentials from any providers"),
  ],
  ["Set AWS_REGION to the table's region, or pass --local", failed({}, "Region is missing")],
  [
    "Set AWS_REGION to the table's region, or pass --local",
    failed({}, 'Region not accepted: region="x_" is not a valid hostname component.'),
  ],
  ["DynamoDB does not respond. Check the network and AWS_REGION", failed({ code: "ECONNRESET" })],
  ["There is no table named EmailApi-dev", failed({ name: "ResourceNotFoundException", $fault: "client" })],
  ["no such file or directory", failed({ errno: -2, code: "ENOENT" }, "ENOENT: open 'x'")],
  ["DynamoDB reported an error: Slow down", failed({ name: "ThrottlingException", $fault: "client" }, "Slow down")],
  ["DynamoDB reported an error: InternalServerError", failed({ name: "InternalServerError", $fault: "server" })],
])("%s", (line, error) => {
  expect(toUserError(error)).toEqual(new UserError(line));
  expect(describe(error)).toBe(line);
});

test.each([
  ["Set AWS_REGION. A DynamoDB on this machine accepts any region", failed({}, "Region is missing")],
  [
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. A DynamoDB on this machine accepts any credentials",
    failed({ name: "CredentialsProviderError" }, "Could not load credentials from any providers"),
  ],
  [
    'No DynamoDB responds at http://127.0.0.1:8000. Check that "npm start" or another DynamoDB runs there',
    failed({ name: "TimeoutError" }),
  ],
])("With a DynamoDB on this machine: %s", (line, error) => {
  for (const [name, value] of Object.entries(local)) vi.stubEnv(name, value);

  expect(describe(error)).toBe(line);
});

test.each(["127.0.0.1:8000", "localhost:8000", "ftp://127.0.0.1", "http://"])("%s is no endpoint", (endpoint) => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", endpoint);

  expect(describe(failed({ code: "ECONNREFUSED" }))).toBe(
    `AWS_ENDPOINT_URL_DYNAMODB takes a URL such as http://127.0.0.1:8000, not ${endpoint}`,
  );
});

test("An unknown error stays as it is, and one line describes it", () => {
  const unknown = new TypeError("x is undefined\nof y");

  expect(toUserError(unknown)).toBe(unknown);
  expect(describe(unknown)).toBe("x is undefined");
  expect(describe(new RangeError(""))).toBe("RangeError");
  expect(describe("a text")).toBe("a text");
  expect(describe(new UserError("its message", 2))).toBe("its message");
  expect(toUserError(new UserError("its message", 2))).toMatchObject({ exitStatus: 2 });
  expect(new UserError("another").exitStatus).toBe(1);
});
