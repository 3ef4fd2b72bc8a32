import { expect, test } from "vitest";
import { charsetDecoder } from "../../../lib/email/charset.ts";
import { contentDisposition, contentId, contentType, parameterText } from "../../../lib/email/parameters.ts";
import { parseEmail } from "../../../lib/email/parse-email.ts";
import { attachment, html, parseSample, text } from "../../harness/sample-email.ts";

test.each([
  ["rfc2231-filename-continuations", "application/pdf", "Jahresbericht über alle Filialen; 2026.pdf", "%PDF-"],
  ["rfc2231-filename-charset", "application/octet-stream", "отчёт.txt", Buffer.of(0, 1, 2, 255)],
  [
    "rfc2231-plain-continuations",
    "application/octet-stream",
    "a very long name that was cut in two.bin",
    Buffer.of(0, 1, 2, 255),
  ],
  ["unquoted-filename-with-spaces", "application/pdf", "scan of page (1).pdf", "%PDF-"],
])("file names are read from all forms: %s", async (name, type, filename, content) => {
  const { attachments } = await parseSample(name);

  expect(attachments).toEqual([attachment(type, content, filename)]);
});

test("encoded words in file names are decoded, and the name of Content-Type is the second choice", async () => {
  const { attachments } = await parseSample("encoded-word-filename");

  expect(attachments.map(({ filename }) => filename)).toEqual(["写真.jpg", "Noël.jpg"]);
});

test("raw 8-bit file names are decoded as UTF-8 if they are valid UTF-8, otherwise as windows-1252", async () => {
  const { attachments } = await parseSample("raw-8bit-filename");

  expect(attachments.map(({ filename }) => filename)).toEqual(["Übersicht à jour.pdf", "Übersicht (2).pdf"]);
});

test("a missing or unreadable Content-Type means text/plain, even if a file name suggests another type", async () => {
  const { parts, attachments } = await parseSample("unreadable-content-type");

  expect(parts).toEqual([text("one"), text("two"), text("three"), html("vièr")]);
  expect(attachments).toEqual([attachment("text/plain", "%PDF-", "guess.pdf")]);
});

test.each([
  ['a/b; name="x;y=z"', "x;y=z"],
  ['a/b; name="a \\"quoted\\" \\\\ name"', 'a "quoted" \\ name'],
  ['a/b; name="C:\\temp\\new \\"a\\".txt"', 'C:\\temp\\new "a".txt'],
  ["a/b; NAME = x ; name=y", "x"],
  ['a/b; charset="x"name=y', "y"],
  ['a/b; name="never closed', "never closed"],
  ["a/b; name*=utf-8''%zz%C3%BC", "%zzü"],
  ["a/b; name*=no%20charset", "no charset"],
  ["a/b; name*0*=iso-8859-1''%FC; name*1=%FC", "ü%FC"],
  ["a/b; name*10=c; name*2=b; name*1=a", "abc"],
  [`a/b; ${Array.from({ length: 50 }, (_, index) => `name*${index}=x`).join("; ")}`, "x".repeat(50)],
  ["a/b; name=plain; name*=utf-8''%C3%BC; name=again", "ü"],
  ["a/b; name*0==?utf-8?q?=C3; name*1==BC?=", "ü"],
  ["a/b; name*=utf-8''\"a; b.pdf\"; x=y", "a; b.pdf"],
  ["a/b; name*=\"utf-8''a%20b.pdf\"", "a b.pdf"],
  ['a/b; name*="=?utf-8?Q?Gr=C3=BC=C3=9Fe.pdf?="', "Grüße.pdf"],
  ["a/b; name*==?utf-8?Q?Gr=C3=BC=C3=9Fe.pdf?=", "Grüße.pdf"],
  ["a/b", ""],
])("the name in %s is %j", (value, name) => {
  expect(parameterText(contentType([{ name: "Content-Type", value }]), "name", charsetDecoder())).toBe(name);
});

test.each([
  ["(c) base64", "text/plain; charset=utf-8"],
  ["(a (nested) \\) one) BASE64 (c)", "(c) text/plain (c); (c) charset=utf-8(c)"],
  ["'base64'", "text/plain; charset=utf-8"],
  ['"base64"', 'text/plain (; charset=koi8-r); charset="utf-8" (c)'],
  ["base64", "text/plain; charset=(c)utf-8 format=flowed"],
  ["base64 (never closed", "text/plain;charset = utf-8 (never closed"],
])("comments are ignored: %s, %s", (encoding, type) => {
  const email = `Content-Transfer-Encoding: ${encoding}\nContent-Type: ${type}\n\nR3LDvMOfZQ==`;

  expect(parseEmail(Buffer.from(email))?.parts).toEqual([text("Grüße")]);
});

test.each([
  ['"text/html"; charset="utf-8"', "text/html", "utf-8"],
  ['"text"/"html"; charset="utf-8"', "text/html", "utf-8"],
  ['"text/html; charset=utf-8"', "text/html", "utf-8"],
  ["'text/html'; charset=x", "text/html", "x"],
])("Content-Type: %s is read, although its quotes are wrong", (value, type, charset) => {
  const read = contentType([{ name: "Content-Type", value }]);

  expect([read.value, read.parameters.get("charset")?.bytes ?? ""]).toEqual([type, charset]);
});

test.each([
  ["nn=nb64=()I9W", "nn=nb64=()I9W"],
  ["(b)", "(b)"],
  ["b (c)", "b"],
])("an unquoted boundary %s has no comments", (value, boundary) => {
  const email = `Content-Type: multipart/mixed; boundary=${value}\n\n--${boundary}\n\n1\n--${boundary}\n\n2\n--${boundary}--`;

  expect(parseEmail(Buffer.from(email))?.parts).toEqual([text("1"), text("2")]);
});

test.each([
  ['inline; filename=""', 'name=" "', ""],
  ['inline; filename=" "', "name=a.txt", "a.txt"],
  ['"attachment"; filename=a.txt', "", "a.txt"],
])("a file name of blanks is none: %s; %s", (disposition, name, filename) => {
  const email = `Content-Disposition: ${disposition}\nContent-Type: text/plain; ${name}\n\nHello`;
  const parsed = parseEmail(Buffer.from(email));

  expect(parsed?.parts).toEqual(filename === "" ? [text("Hello")] : []);
  expect(parsed?.attachments).toEqual(filename === "" ? [] : [attachment("text/plain", "Hello", filename)]);
});

test.each(['"Attachment"; filename=a', "'attachment'; filename=a", '"attachment; filename=a"'])(
  "the disposition in %s is attachment",
  (value) => {
    const read = contentDisposition([{ name: "Content-Disposition", value }]);

    expect([read.value, read.parameters.get("filename")?.bytes]).toEqual(["attachment", "a"]);
  },
);

test.each([
  ["<a@b> (c)", "a@b"],
  ["(c) <a@b>", "a@b"],
  ["< a@b >", "a@b"],
  ["a@b", "a@b"],
  ["<a@b", "a@b"],
  ["a@b>", "a@b"],
  ["<<a@b>>", "a@b"],
  ['"<a@b>"', "a@b"],
  ["=?utf-8?q?<a@b>?=", "a@b"],
  ["<=?utf-8?q?a=40b?=>", "a@b"],
  ["a<b>c", "abc"],
  ["", ""],
])("Content-ID: %s is %j", (value, id) => {
  expect(contentId([{ name: "Content-ID", value }], charsetDecoder())).toBe(id);
});

test.each([
  ['filename="a.txt"', "", "a.txt"],
  ["filename = a.txt", "", "a.txt"],
  ['attachment filename="a.txt"', "attachment", "a.txt"],
  ["(c) ATTACHMENT (c); filename=report (1)", "attachment", "report (1)"],
  ["inline", "inline", ""],
  ["", "", ""],
])("Content-Disposition: %s is %j with the file name %j", (value, disposition, filename) => {
  const read = contentDisposition([{ name: "Content-Disposition", value }]);

  expect(read.value).toBe(disposition);
  expect(parameterText(read, "filename", charsetDecoder())).toBe(filename);
});
