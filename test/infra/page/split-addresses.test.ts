import { expect, test } from "vitest";
import { splitAddresses } from "../../../infra/page/browser/split-addresses.ts";

test.each([
  ["(see https://example.com/a)", "https://example.com/a"],
  ["[http://example.com/a?b=1,2#c]", "http://example.com/a?b=1,2#c"],
  ["'https://example.com/a'!", "https://example.com/a"],
  ["https://example.com/a;", "https://example.com/a"],
  ["Write to ada.b+c@mail.example.com.", "ada.b+c@mail.example.com"],
  ["<ada@example.com>:", "ada@example.com"],
])("An address in %s ends before the punctuation around it", (text, address) => {
  const [before = "", found, after = ""] = splitAddresses(text);

  expect(found).toBe(address);
  expect(before + found + after).toBe(text);
});

test("What is no address is left alone", () => {
  const text = "ftp://example.com, ada@localhost, xhttps://example.com, @, 5 https";

  expect(splitAddresses(text)).toEqual([text]);
});

test("A text of addresses alone becomes 500 of them, and loses nothing", () => {
  const text = "a@example.com ".repeat(2000);

  const parts = splitAddresses(text);

  expect(parts).toHaveLength(1001);
  expect(parts.join("")).toBe(text);
});
