/** No email makes the parser throw, loop, exhaust memory or lose text. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { addressDomain } from "../../../lib/addresses/address.ts";
import { readEnvelope } from "../../../lib/email/envelope.ts";
import { parseEmail } from "../../../lib/email/parse-email.ts";
import { generatedEmail, jumble, mutated } from "../../harness/generated-email.ts";
import { sampleEmail, sampleNames } from "../../harness/sample-email.ts";

/** GENERATED_EMAILS=100000 SEED=$RANDOM tests more emails. */
const { GENERATED_EMAILS = "1500", SEED = "2026" } = process.env;
const settings = (share: number) => ({
  numRuns: Math.ceil(Number(GENERATED_EMAILS) * share),
  seed: Number(SEED),
});

const stringsOf = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null
    ? [...Object.keys(value), ...Object.values(value).flatMap(stringsOf)]
    : [];
};

const lines = (text: string) => text.replace(/\r\n?/g, "\n");

const samples = await Promise.all(sampleNames.map(sampleEmail));

test("text, attachments and subject of any generated email are found", () => {
  fc.assert(
    fc.property(generatedEmail, ({ bytes, subject, texts, attachments }) => {
      const parsed = parseEmail(bytes);

      expect(parsed?.parts.map(({ content }) => lines(content))).toEqual(texts);
      expect(parsed?.attachments).toMatchObject(attachments);
      expect(parsed?.headers.Subject).toEqual([subject]);
      expect(readEnvelope(bytes)).toMatchObject({ sender: "ada@example.com", subject });
    }),
    settings(0.3),
  );
});

test("a damaged email is parsed to well-formed text and valid addresses", () => {
  const emails = fc.oneof(
    fc.constantFrom(...samples),
    generatedEmail.map(({ bytes }) => bytes),
  );
  fc.assert(
    fc.property(fc.oneof({ arbitrary: mutated(emails), weight: 3 }, jumble), (bytes) => {
      const parsed = parseEmail(bytes);
      const { sender, recipient, ...envelope } = readEnvelope(bytes);

      expect(parsed?.headers).toBeDefined();
      expect(stringsOf([parsed, envelope]).filter((text) => !text.isWellFormed())).toEqual([]);
      expect([sender, recipient].filter((address) => address !== "" && !addressDomain(address))).toEqual([]);
    }),
    settings(0.7),
  );
});

const repeated = (line: string) => (size: number) => line.repeat(size / line.length);
const numbered = (line: (i: number) => string) => (size: number) => {
  let text = "";
  for (let i = 0; text.length < size; i++) text += line(i);
  return text;
};
const multipart = (boundary: string) => `Content-Type: multipart/mixed; boundary=${boundary}\n\n--${boundary}\n`;
const nested = (levels: number) => Array.from({ length: levels }, (_, i) => multipart(`b${i}`)).join("");
const around =
  (before: string, body: (size: number) => string, after = "\n\n") =>
  (size: number) =>
    before + body(size) + after;
const numberedAfter = (before: string, line: (i: number) => string) => around(before, numbered(line));

/** Each email is quadratic or expensive for some way to parse it. */
const hostile: [string, (size: number) => string][] = [
  ["nested multiparts", numbered((i) => multipart(`b${i}`))],
  ["tiny parts", around(multipart("b"), repeated("\nx\n--b\n"))],
  ["tiny parts below 99 levels", around(nested(99), repeated("\nx\n--b98\n"))],
  ["multiparts without parts", around(nested(1), repeated("Content-Type: multipart/a; boundary=c\n\n--c--\n--b0\n"))],
  ["lines that are almost boundaries", around(nested(99), repeated("\n--b"))],
  ["parts in charsets", numberedAfter(multipart("b"), (i) => `\nx\n--b\nContent-Type:text/a;charset=${i}\n`)],
  ["a line", around("A: ", repeated("x"))],
  ["a folded header", around("A: b\n", repeated(" b\n"))],
  ["header fields", around("", repeated("A:\n"))],
  ["header fields of many names", numbered((i) => `A${i}:\n`)],
  ["header lines with odd names", around("A: b\n", repeated("a b: ;\n"))],
  ["header lines with odd names before text", around("A: b\n", repeated("a b: ;\n"), "c\n")],
  ["lines before base64", around("Content-Transfer-Encoding: base64\n", repeated("c d\n"), "\nYWJj\n")],
  ["mbox lines", around("", repeated("From a\n"), "A: b\n\n")],
  ["long lines without a colon", around("A: b\n", repeated(`${" x".repeat(5000)}\n`))],
  ["quotes in an extended parameter", around("Content-Type: a/b; ", repeated("a*=b'"))],
  ["header lines that are no fields", around("", repeated("A: b\nc\n"))],
  ["blank lines among header fields", around("", repeated("A: b\n \n"))],
  ["blank lines in front of the header", around("", repeated(" \n"), "A: b\n\n")],
  ["lines that look like header fields", around("A: b\nc\n", repeated("A:\n"), "c\n\n")],
  ["beginnings of encoded words", around("Subject: ", repeated("=?utf-8?q?="))],
  ["an encoded word without end", around("Subject: =?utf-8?q?", repeated("a"))],
  ["encoded words", around("Subject: ", repeated("=?utf-8?q?a?= =?koi8-r?q?b?= "))],
  ["encoded words in unknown charsets", numberedAfter("Subject: ", (i) => `=?${i}?q??=`)],
  ["header fields in unknown charsets", numbered((i) => `A:=?${i}?q??=\n`)],
  ["a file name in segments", numberedAfter("Content-Type: a/b; ", (i) => `name*${i}*=%20;`)],
  ["semicolons", around("Content-Type: a/b", repeated(";"))],
  ["quotes", around('Content-Type: a/b; name="', repeated('\\"'))],
  ["blanks in a value", around("Content-Type: a/b; name=x", repeated(" "), "x\n\n")],
  ["openings of comments", around("Content-Type: a/b", repeated("("))],
  ["comments", around("Content-Disposition: ", repeated("();"))],
  ["colons in From", around("From: ", repeated(":"))],
  ["opening angle brackets in From", around("From: ", repeated("<"))],
  ["quotes in From", around("From: ", repeated('\\"'))],
  ["comments in From", around("From: ", repeated("("))],
  ["addresses that are none", around("From: ", repeated("a@-,"))],
  ["international addresses that are none", around("From: ", repeated("a@\xc3\xbc_,"))],
  ["an address in pieces", around("From: ", repeated("a . "))],
  ["blanks in Date", around("Date: 1", repeated(" "))],
  ["colons in Date", around("Date: ", repeated("1 : "))],
  ["letters in Date", around("Date: 1 ", repeated("nov"))],
  ["padded quoted-printable", around("Content-Transfer-Encoding: quoted-printable\n\n", repeated(" "), "x")],
  ["carriage returns", around("A: b\n", repeated("\r"))],
  ["escape sequences", around("Content-Type: text/a; charset=iso-2022-jp\n\n", repeated("\x1b(B\x1b$B!!"))],
  ["UTF-7", around("Content-Type: text/a; charset=utf-7\n\n", repeated("+2D0-"))],
  ["half surrogate pairs", around("Content-Type: text/a; charset=utf-16\n\n", repeated("\xd8\0"))],
];

/** Returns the smallest processor time of some runs in milliseconds. Other work on the machine adds to each run. */
const cost = (email: Buffer, tries: number): number =>
  Math.min(
    ...Array.from({ length: tries }, () => {
      const start = process.threadCpuUsage();
      parseEmail(email);
      readEnvelope(email);
      const { user, system } = process.threadCpuUsage(start);
      return (user + system) / 1000;
    }),
  );

test.each(hostile)("the processor time of a hostile email is small, and grows linearly: %s", (_, build) => {
  const small = cost(Buffer.from(build(50_000), "latin1"), 3);
  const large = cost(Buffer.from(build(400_000), "latin1"), 1);

  expect(small).toBeLessThan(125);
  expect(large).toBeLessThan(24 * Math.max(small, 5));
});
