import { expect, test } from "vitest";
import { assertDocumented } from "../../harness/contract.ts";

const path = "/v2/accounts/7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11/members";

const member = {
  id: "e3b8a1f6-7c25-4d90-b1a4-9f0c6d2e5b38",
  created_at: "2026-11-20T12:00:00.000Z",
  updated_at: "2026-11-20T12:00:00.000Z",
  user_id: "9d2f4c70-18ab-4e63-a5d7-3b6e0f81c924",
  account_id: "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11",
  role: "Developer",
};

const headers = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Request-Id": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
  Date: "Fri, 20 Nov 2026 12:00:00 GMT",
};

const documented = { method: "POST", path, status: 201, headers, body: member as object };

const check = ({ method, path, status, headers, body }: typeof documented) =>
  assertDocumented(method, path, { status, headers: new Headers(headers), body: JSON.stringify(body) });

test("A response that the document has passes", () => {
  expect(() => check(documented)).not.toThrow();
});

const { role: _role, ...memberWithoutRole } = member;
const { "Cache-Control": _cacheControl, ...headersWithoutCacheControl } = headers;

test.each<[string, Partial<typeof documented>, string]>([
  ["a status that is not documented", { status: 202 }, "the status is not documented"],
  ["a field that is not documented", { body: { ...member, name: "Ada" } }, "additional properties"],
  ["a missing field", { body: memberWithoutRole }, "'role'"],
  ["a value outside its enum", { body: { ...member, role: "Owner" } }, "/role"],
  ["an id in upper case", { body: { ...member, id: member.id.toUpperCase() } }, "/id"],
  ["a time without milliseconds", { body: { ...member, created_at: "2026-11-20T12:00:00Z" } }, "/created_at"],
  [
    "a header that is not documented",
    { headers: { ...headers, "X-Powered-By": "us" } as never },
    "x-powered-by",
  ],
  ["a missing header", { headers: headersWithoutCacheControl as never }, "header cache-control is missing"],
  [
    "another value of a header",
    { headers: { ...headers, "Cache-Control": "public" } },
    "cache-control is public",
  ],
  [
    "another media type",
    { headers: { ...headers, "Content-Type": "text/html" } },
    "text/html is not documented",
  ],
  ["a route that is not documented", { path: "/v2/accounts" }, "the status is not documented"],
  ["a method that is not documented", { method: "PUT" }, "the status is not documented"],
])("A response with %s is refused, and the complaint names it", (_, change, complaint) => {
  expect(() => check({ ...documented, ...change })).toThrow(complaint);
});

test("A route that does not exist answers 404 with the body of every error", () => {
  const absent = { ...documented, path: "/", status: 404, body: { message: "No such route or method" } };

  expect(() => check(absent)).not.toThrow();
});
