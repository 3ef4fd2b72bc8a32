/** The start and the end of parts, in correct and in damaged multiparts. */
import { expect, test } from "vitest";
import { maxHeaderBytes, maxHeaderFields } from "../../../lib/email/header-block.ts";
import { parseEmail } from "../../../lib/email/parse-email.ts";
import { maxNesting, maxParts } from "../../../lib/email/tree.ts";
import { html, parseSample, text } from "../../harness/sample-email.ts";

const parse = (email: string) => parseEmail(Buffer.from(email, "latin1"));

test.each([
  ["lf-line-ends", [text("first\nline"), html("<p>second</p>\n")], "Line ends of Unix"],
  ["cr-line-ends", [text("first"), html("<p>second</p>")], "Line ends of classic Mac OS"],
  ["mixed-line-ends", [text("first"), text("second")], "Relayed  twice"],
])("lines may end in LF, CR or CR LF: %s", async (name, parts, subject) => {
  const parsed = await parseSample(name);

  expect(parsed.parts).toEqual(parts);
  expect(parsed.headers.Subject).toEqual([subject]);
});

const open = (boundary: string) => `Content-Type: multipart/mixed; boundary="${boundary}"`;
const start = (boundary: string) => `${open(boundary)}\n\n--${boundary}\n`;

test.each([
  ["white space after a boundary is ignored", `${open("b")}\n\n--b\t \n\none\n--b--\t\n`, ["one"]],
  ["a boundary may end in a blank", `${open("b ")}\n\n--b \n\none\n--b --\nepilogue\n`, ["one"]],
  ["a tab after the parameter is ignored", `${open("b")}\t\n\n--b\n\none\n--b--\n`, ["one"]],
  [
    "a boundary of two nested multiparts belongs to the inner multipart until that is closed",
    `${start("b")}${start("b")}\ninner\n--b--\n--b\n\nouter\n--b--\n--b\n\nepilogue\n`,
    ["inner", "outer"],
  ],
  [
    "a boundary is text after an outer multipart has continued",
    `${start("a")}${start("b")}\none\n--a\n\n--b\ntwo\n--a--\n`,
    ["one", "--b\ntwo"],
  ],
  [
    "a boundary is text after an outer multipart has ended",
    `${start("a")}${start("b")}\none\n--a--\n--a\n\nepilogue\n--b\n\nepilogue\n`,
    ["one"],
  ],
  [
    "a boundary of two nested multiparts is text after the multipart around them has continued",
    `${start("a")}${start("b")}${start("b")}\none\n--a\n\n--b\ntwo\n--a--\n`,
    ["one", "--b\ntwo"],
  ],
  [
    "an empty line before a delimiter is text if lines end in CR",
    `${open("b")}\r\r--b\r\rHello\r\r--b--\r`,
    ["Hello\r"],
  ],
  [
    "a boundary that ends in hyphens does not close another boundary",
    `${start("a")}${start("a--")}\none\n--a--\n\ntwo\n--a----\n--a\n\nthree\n--a--\n`,
    ["one", "two", "three"],
  ],
  ["a multipart with only a closing delimiter is text/plain", `${open("b")}\n\nHello\n--b--\n`, ["Hello"]],
  [
    "an inner multipart with only a closing delimiter is text/plain",
    `${start("a")}${open("b")}\n\nHello\n--b--\n--a\n\nyou\n--a--\n`,
    ["Hello", "you"],
  ],
  ["an empty multipart has no parts", `${open("b")}\n\n \n--b--\n`, []],
  ["a no-break space is no part", `${open("b")}\n\n\xa0\n--b--\n`, []],
])("%s", (_, email, contents) => {
  const parsed = parse(email);

  expect(parsed?.parts).toEqual(contents.map(text));
  expect(parsed?.attachments).toEqual([]);
});

test("content_parsed is null only if an email exceeds a limit", () => {
  const multiparts = (count: number) =>
    Array.from({ length: count }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join("");
  const siblings = (count: number) => `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(count - 1)}`;
  const header = (bytes: number) => `A: ${"x".repeat(bytes - 5)}\n\n`;

  expect({ maxNesting, maxParts, maxHeaderBytes, maxHeaderFields }).toEqual({
    maxNesting: 100,
    maxParts: 10_000,
    maxHeaderBytes: 1_048_576,
    maxHeaderFields: 10_000,
  });
  expect(parse(`${multiparts(maxNesting)}\nx`)?.parts).toEqual([text("x")]);
  expect(parse(`${multiparts(maxNesting + 1)}\nx`)).toBeNull();
  expect(parse(siblings(maxParts))?.parts).toHaveLength(maxParts - 1);
  expect(parse(siblings(maxParts + 1))).toBeNull();
  expect(parse(header(maxHeaderBytes))?.parts).toEqual([text("")]);
  expect(parse(header(maxHeaderBytes + 1))).toBeNull();
  expect(parse(`${"A:\n".repeat(maxHeaderFields)}\nx`)?.parts).toEqual([text("x")]);
  expect(parse(`${"A:\n".repeat(maxHeaderFields + 1)}\nx`)).toBeNull();
  expect(parse(`${multiparts(1)}${header(maxHeaderBytes - 100)}x`)?.parts).toEqual([text("x")]);
  expect(parse(`${multiparts(1)}${header(maxHeaderBytes - 40)}x`)).toBeNull();
});
