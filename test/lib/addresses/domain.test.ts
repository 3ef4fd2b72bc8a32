import { expect, test } from "vitest";
import { normalDomain } from "../../../lib/addresses/domain.ts";

test.each([
  ["Example.COM", "example.com"],
  ["localhost", "localhost"],
  ["_A_b.example", "_a_b.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["BÜCHER.example", "xn--bcher-kva.example"],
  ["XN--Bcher-kva.Example", "xn--bcher-kva.example"],
  ["例え.テスト", "xn--r8jz45g.xn--zckzah"],
  ["straße.example", "xn--strae-oqa.example"],
  [`${"a".repeat(63)}.${"b.".repeat(94)}c`, `${"a".repeat(63)}.${"b.".repeat(94)}c`],
])("%s has the form %s", (text, domain) => {
  expect(normalDomain(text)).toBe(domain);
});

test.each([
  ["nothing", ""],
  ["a trailing dot", "example.com."],
  ["an empty label", "example..com"],
  ["a label that begins with a hyphen", "-a.example"],
  ["a label that ends with a hyphen", "a-.example"],
  ["white space", "a b.example"],
  ["a line end", "example.com\n"],
  ["a port", "example.com:25"],
  ["an escape", "ex%61mple.com"],
  ["a label of 64 characters", `${"a".repeat(64)}.example`],
  ["a label of 64 characters once it is ASCII", `${"ü".repeat(60)}.example`],
  ["254 characters", `${"a".repeat(63)}.${"b.".repeat(94)}cc`],
  ["millions of characters", "ü".repeat(5_000_000)],
  ["U+212A, which lower-cases to k", "\u212Aey.example"],
  ["U+017F, which UTS #46 maps to s", "\u017Fea.example"],
  ["full-width digits, which UTS #46 maps to an IP address", "１.１.１.１"],
  ["an ideographic full stop", "a。example"],
  ["a character that is not composed", "bu\u0308cher.example"],
  ["a zero-width joiner", "a\u200db.example"],
])("%s is not a domain", (_, text) => {
  expect(normalDomain(text)).toBeNull();
});
