import { expect, test } from "vitest";
import member from "../../../infra/openapi/examples/account-member.json" with { type: "json" };
import { assertDocumented } from "../../harness/contract.ts";

const path = "/v2/accounts/7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11/members";
const headers = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Request-Id": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
  Date: "Fri, 20 Nov 2026 12:00:00 GMT",
};

const response = { method: "POST", path, status: 201, headers: headers as object, body: member as object };

const check = (change: Partial<typeof response>) => {
  const { method, path, status, headers, body } = { ...response, ...change };
  assertDocumented(method, path, {
    status,
    headers: new Headers({ ...headers }),
    body: JSON.stringify(body),
  });
};

const { role: _role, ...memberWithoutRole } = member;
const { "Cache-Control": _cacheControl, ...headersWithoutCacheControl } = headers;
const withHeader = (name: string, value: string) => ({ headers: { ...headers, [name]: value } });
const withField = (name: string, value: string) => ({ body: { ...member, [name]: value } });

test.each<[string, Partial<typeof response>, string]>([
  ["a status", { status: 202 }, "the status is not documented"],
  ["a field", withField("name", "Ada"), "additional properties"],
  ["the absence of a field", { body: memberWithoutRole }, "'role'"],
  ["a value outside the enum", withField("role", "Owner"), "/role"],
  ["an id in upper case", withField("id", member.id.toUpperCase()), "/id"],
  ["a time without milliseconds", withField("created_at", "2026-11-20T12:00:00Z"), "/created_at"],
  ["a header", withHeader("X-Powered-By", "us"), "x-powered-by"],
  ["the absence of a header", { headers: headersWithoutCacheControl }, "header cache-control is missing"],
  ["the value of a header", withHeader("Cache-Control", "public"), "cache-control is public"],
  ["the media type", withHeader("Content-Type", "text/html"), "text/html is not documented"],
  ["a route", { path: "/v2/accounts" }, "the status is not documented"],
  ["a method", { method: "PUT" }, "the status is not documented"],
])("The harness rejects a response if %s is not documented", (_, change, complaint) => {
  expect(() => check(change)).toThrow(complaint);
});

test("The harness accepts a documented response, and the 404 of an unknown route", () => {
  check({});
  check({ path: "/", status: 404, body: { message: "No such route or method" } });
});
