/** Headers are unfolded and decoded; parameters and file names are found however they are written. */
import { expect, test } from "vitest";
import { decodeHeaderText } from "../../../../lib/messages/mime/header.ts";
import { contentType, parameterText } from "../../../../lib/messages/mime/parameters.ts";
import { attachment, html, parseSample, text } from "../../../harness/sample-email.ts";

test("encoded words are decoded, joined and left alone as RFC 2047 says", async () => {
  const { headers } = await parseSample("encoded-words");

  expect(headers).toMatchObject({
    Subject: ["🚀Launch day is déjà vu"],
    "X-Split-Character": ["Grüße"],
    "X-With-Language": ["schön"],
    "X-No-Word": ["=?utf-8?x?abc?= =?utf-8?q?open =?utf-8?= a=?b"],
    "X-Empty": [""],
    "X-Tail": ["(a)"],
  });
});

test("raw UTF-8 in headers is read as UTF-8", async () => {
  const { headers } = await parseSample("raw-utf8-header");

  expect(headers.From).toEqual(["Zoë <zoe@example.com>"]);
  expect(headers.Subject).toEqual(["Grüße aus Köln à la carte"]);
});

test("NUL is a character like any other", async () => {
  const { parts, headers } = await parseSample("nul-bytes");

  expect(parts).toEqual([text("a\0b\r\n")]);
  expect(headers.Subject).toEqual(["Nu\0l"]);
});

test.each([
  ["=?utf-8?q?a=?", "=?utf-8?q?a=?"],
  ["=?utf-8?B?w7w?=", "ü"],
  ["=?utf-8?Q?=c3=BC=3?=", "ü=3"],
  ["=?utf-8?q?a b?= c", "a b c"],
  ["x =?utf-8?q?a?=\t=?utf-8?b?Yg==?= y", "x ab y"],
  ["=?utf-8?q?=C3?= =?UTF-8?q?=BC?=", "ü"],
  ["=?utf-8?q?=C3?= =?koi8-r?q?=C1?=", "\ufffdа"],
  ["\xc3\xbc =?utf-8?q?=C3=BC?=", "ü ü"],
  ["\xfc", "ü"],
])("%j reads %j", (value, text) => {
  expect(decodeHeaderText(value)).toBe(text);
});

test.each([
  [
    "rfc2231-filename-continuations",
    "application/pdf",
    "Jahresbericht über alle Filialen; 2026.pdf",
    "%PDF-",
  ],
  ["rfc2231-filename-charset", "application/octet-stream", "отчёт.txt", Buffer.of(0, 1, 2, 255)],
  [
    "rfc2231-plain-continuations",
    "application/octet-stream",
    "a very long name that was cut in two.bin",
    Buffer.of(0, 1, 2, 255),
  ],
  ["unquoted-filename-with-spaces", "application/pdf", "scan of page (1).pdf", "%PDF-"],
])("a file name is read as it was meant: %s", async (name, type, filename, content) => {
  const { attachments } = await parseSample(name);

  expect(attachments).toEqual([attachment(type, content, filename)]);
});

test("encoded words in file names are decoded; the name of Content-Type stands in", async () => {
  const { attachments } = await parseSample("encoded-word-filename");

  expect(attachments.map(({ filename }) => filename)).toEqual(["写真.jpg", "Noël.jpg"]);
});

test("raw 8-bit file names are UTF-8 if they are valid, else windows-1252", async () => {
  const { attachments } = await parseSample("raw-8bit-filename");

  expect(attachments.map(({ filename }) => filename)).toEqual(["Übersicht à jour.pdf", "Übersicht (2).pdf"]);
});

test("a missing or unreadable Content-Type is text/plain, whatever the file is called", async () => {
  const { parts, attachments } = await parseSample("unreadable-content-type");

  expect(parts).toEqual([text("one"), text("two"), text("three"), html("vièr")]);
  expect(attachments).toEqual([attachment("text/plain", "%PDF-", "guess.pdf")]);
});

test.each([
  ['a/b; name="x;y=z"', "x;y=z"],
  ['a/b; name="a \\"quoted\\" \\\\ name"', 'a "quoted" \\ name'],
  ["a/b; NAME = x ; name=y", "x"],
  ['a/b; charset="x"name=y', "y"],
  ['a/b; name="never closed', "never closed"],
  ["a/b; name*=utf-8''%zz%C3%BC", "%zzü"],
  ["a/b; name*=no%20charset", "no charset"],
  ["a/b; name*0*=iso-8859-1''%FC; name*1=%FC", "ü%FC"],
  ["a/b; name*0==?utf-8?q?=C3; name*1==BC?=", "ü"],
  ["a/b", ""],
])("%s names %j", (value, name) => {
  expect(parameterText(contentType([{ name: "Content-Type", value }]), "name")).toBe(name);
});
