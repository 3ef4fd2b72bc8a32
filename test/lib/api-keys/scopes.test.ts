import { expect, test } from "vitest";
import { parseScope } from "../../../lib/api-keys/scopes.ts";

test.each([
  ["*", "*"],
  ["messages:read:all", "messages:read:all"],
  ["accounts:members:add", "accounts:members:add"],
  ["messages:read:{Example.COM}", "messages:read:{example.com}"],
  ["messages:read:{bücher.example}", "messages:read:{xn--bcher-kva.example}"],
])("%s is stored as %s", (text, scope) => {
  expect(parseScope(text)).toBe(scope);
});

test.each([
  "",
  "messages:read",
  "Messages:read:all",
  "messages:read:{}",
  "messages:read:{example.com",
  "messages:read:{example.com}x",
  "messages:read:{example.com}}",
  "messages:read:{example.com}\n",
  "messages:read:{example.com.}",
  "messages:read:{*.example.com}",
  "messages:read:{a@example.com}",
  "messages:read:{\u212Aey.example}",
])("%j is not a scope", (text) => {
  expect(parseScope(text)).toBeNull();
});
