/** No email makes the parser throw, loop or exhaust memory. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readEnvelope } from "../../../../lib/messages/envelope.ts";
import { decodeCharset } from "../../../../lib/messages/mime/charset.ts";
import { parseEmail } from "../../../../lib/messages/mime.ts";

const MB = 1_000_000;
const numbered = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("");
const multipart = (boundary: string) =>
  `Content-Type: multipart/mixed; boundary=${boundary}\n\n--${boundary}\n`;

/** Each is quadratic, or worse, for some way to parse it. */
const hostile: [string, string][] = [
  ["10,000 nested multiparts", numbered(10_000, (i) => multipart(`b${i}`))],
  ["100,000 tiny parts", `${multipart("b")}${"\nx\n--b\n".repeat(100_000)}`],
  ["a header line of 10 MB", `A: ${"x".repeat(10 * MB)}`],
  ["a header folded 250,000 times", `A: b\n${" b\n".repeat(250_000)}\n`],
  ["300,000 header fields", `${"A:\n".repeat(300_000)}\n`],
  ["beginnings of encoded words", `Subject: ${"=?utf-8?q?=".repeat(90_000)}\n\n`],
  ["an encoded word without end", `Subject: =?utf-8?q?${"a".repeat(MB)}\n\n`],
  ["encoded words in 80,000 charsets", `Subject: ${numbered(80_000, (i) => `=?${i}?q??=`)}\n\n`],
  ["a file name in 80,000 segments", `Content-Type: a/b; ${numbered(80_000, (i) => `name*${i}*=%20;`)}\n\n`],
  ["1 MB of semicolons", `Content-Type: a/b${";".repeat(MB)}\n\n`],
  ["1 MB of quotes", `Content-Type: a/b; name="${'\\"'.repeat(MB / 2)}\n\n`],
  ["1 MB of blanks in a value", `Content-Type: a/b; name=x${" ".repeat(MB)}x\n\n`],
  ["1 MB of opening angle brackets", `From: ${"<".repeat(MB)}\n\n`],
  ["250,000 addresses", `From: ${"a@,".repeat(250_000)}\n\n`],
  ["a date of 1 MB", `Date: 1${" ".repeat(MB)}\n\n`],
  ["5 million almost boundaries", `${numbered(99, (i) => multipart(`b${i}`))}\n${"--b\n".repeat(5 * MB)}`],
  [
    "20 MB of blanks in quoted-printable",
    `Content-Transfer-Encoding: quoted-printable\n\n${" ".repeat(20 * MB)}x`,
  ],
  ["20 MB of carriage returns", `A: b\n${"\r".repeat(20 * MB)}`],
];

test.each(hostile)(
  "is answered within seconds: %s",
  (_, email) => {
    const bytes = Buffer.from(email, "latin1");
    const started = performance.now();

    const parsed = parseEmail(bytes);
    readEnvelope(bytes);

    expect(parsed === null || parsed.parts.length + parsed.attachments.length > 0).toBe(true);
    expect(performance.now() - started).toBeLessThan(8_000);
  },
  20_000,
);

test("any bytes parse", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      expect(parseEmail(bytes)?.parts).toBeDefined();
      expect(readEnvelope(bytes).subject).toBeDefined();
    }),
  );
});

/** What an email is made of, in any order. */
const fragment = fc.constantFrom(
  ...[
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    "--",
    "--a",
    "--a--",
    ":",
    ";",
    "=",
    '"',
    "\\",
    "<",
    ">",
    "(",
    ")",
    ",",
    "@",
    "*0*",
  ],
  ...[
    "=?utf-8?q?",
    "=?iso-2022-jp?b?",
    "?=",
    "=C3",
    "%C3",
    "\xe9",
    "\0",
    "From ",
    "From: ",
    "To: ",
    "Date: ",
    "1 Nov 26 0:0",
  ],
  ...[
    "Content-Type: ",
    "multipart/mixed",
    "text/html",
    "; boundary=a",
    "; charset=",
    "; name",
    "__proto__: ",
  ],
  ...[
    "Content-Transfer-Encoding: ",
    "base64",
    "quoted-printable",
    "Content-Disposition: ",
    "attachment",
    "; filename*=",
  ],
);

test("any jumble of what emails are made of parses", () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 60 }), (fragments) => {
      const bytes = Buffer.from(fragments.join(""), "latin1");
      expect(parseEmail(bytes)?.parts).toBeDefined();
      expect(readEnvelope(bytes).subject).toBeDefined();
    }),
    { numRuns: 1000 },
  );
});

const charset = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "constructor",
    "__proto__",
    "_internal",
    "binary",
    "utf-7",
    "utf-7-imap",
    "utf-16",
    "utf-32",
  ),
  fc.constantFrom("iso-2022-jp", "iso-2022-kr", "euc-kr", "big5", "gb18030", "cp437", "cesu-8", "hz-gb-2312"),
);

test("any bytes decode in any charset", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), charset, (bytes, name) => {
      expect(typeof decodeCharset(bytes, name)).toBe("string");
    }),
    { numRuns: 2000 },
  );
});
