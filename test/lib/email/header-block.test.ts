/** The start and the end of headers. */
import { expect, test } from "vitest";
import { readEnvelope } from "../../../lib/email/envelope.ts";
import { parseEmail } from "../../../lib/email/parse-email.ts";
import { html, text } from "../../harness/sample-email.ts";

const parse = (...lines: string[]) => {
  const parsed = parseEmail(Buffer.from(lines.join("\r\n"), "latin1"));
  if (parsed === null) throw new Error("past the limits");
  return parsed;
};

test.each([
  [[""]],
  [["", "  \t", ""]],
  [[" "]],
  [["  X-Indented: yes"]],
  [["From ada@example.com Fri Nov 20 12:00:00 2026"]],
  [[">From ada@example.com Fri Nov 20 12:00:00 2026"]],
  [["From ada@example.com Fri Nov 20 12:00:00 2026", ">From bob@example.org Fri Nov 20 12:00:01 2026"]],
  [["", "From ada@example.com Fri Nov 20 12:00:00 2026"]],
])("blank lines and mbox lines may precede the header: %j", (before) => {
  const parsed = parse(...before, "From : ada@example.com", "Subject: Hi", "", "Hello");

  expect(parsed).toMatchObject({
    parts: [text("Hello")],
    headers: { From: ["ada@example.com"], Subject: ["Hi"] },
  });
});

test.each([
  [["mx2.example () by", " mx1.example with SMTP; Fri, 20 Nov 2026 12:00:00 +0000"]],
  [["+OK 1234 octets"]],
  [["220 mx.example", "MAIL FROM:<ada@example.com>", "DATA"]],
])("junk before the header is skipped: %j", (junk) => {
  const parsed = parse(...junk, "From: ada@example.com", "Subject: Hi", "", "Hello");

  expect(parsed).toMatchObject({ parts: [text("Hello")], headers: { From: ["ada@example.com"], Subject: ["Hi"] } });
});

test("the header after junk begins at its first field, however rare", () => {
  const parsed = parse("+OK 1234 octets", "X-Mailer: m", "From: ada@example.com", "Subject: Hi", "", "Hello");

  expect(parsed?.headers).toEqual({ "X-Mailer": ["m"], From: ["ada@example.com"], Subject: ["Hi"] });
});

test("text before one usual field is no junk", () => {
  expect(parse("Hello", "Note: you", "Date: today", "", "Bye").headers).toEqual({});
});

test.each([
  ["X-Link://cdn.example/a", { "X-Link": ["//cdn.example/a"] }],
  ["X Link://cdn.example/a", { "X Link": ["//cdn.example/a"] }],
  ["https://example.com/a", { Subject: ["Hi https://example.com/a"] }],
  ["ftp://example.com/a", { Subject: ["Hi ftp://example.com/a"] }],
  ["see ftp://example.com/a", { Subject: ["Hi see ftp://example.com/a"] }],
  [`${"word ".repeat(17)}: a`, { Subject: [`Hi ${"word ".repeat(17)}: a`] }],
])("a value may begin with slashes, and a URL is no field: %s", (line, headers) => {
  expect(parse("Subject: Hi", line, "To: b@example.org", "", "Hello")).toMatchObject({ headers });
});

test.each([
  ["Content-Type: text/plain; charset=gbk", "", "\xb7\xa2\xc6\xb1\xd2\xd1\xbf\xaa", "发票已开"],
  ["From: =?koi8-r?b?8NLJ18XU?= <a@example.com>", "", "\xf0\xd2\xc9", "При"],
  [
    "Content-Type: multipart/mixed; boundary=b",
    "--b\r\nContent-Type: text/plain; charset=big5\r\n\r\n--b--",
    "\xb4\xfa\xb8\xd5",
    "測試",
  ],
  ["Content-Type: text/plain; charset=gbk", "", "Gr\xc3\xbc\xc3\x9fe aus K\xc3", "Grüße aus K\ufffd"],
  ["Content-Type: text/plain; charset=shift_jis", "", "at\xe9 \xa0", "até \xa0"],
  ["Content-Type: text/plain; charset=koi8-r", "", "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3", "üüüü\ufffd"],
  ["Content-Type: text/plain; charset=koi8-r", "", "\xc3\xbc\xc3\xbc\xc3\xbc\xc3", "ц╪ц╪ц╪ц"],
  ["Content-Type: text/plain; charset=utf-16", "", "at\xe9 \xe9", "até é"],
  ["Content-Type: text/plain; charset=utf-16le", "", "at\xe9s \xe9", "atés é"],
  ["Content-Type: text/plain; charset=utf-7", "", "+AOk-\xe9", "+AOk-é"],
  ["X-Word: =?shift_jis?q?a?= =?koi8-r*ru?q?a?=", "", "\xa0\xc1", "═а"],
])(
  "a header of raw bytes is in the charset that the email declares elsewhere: %s",
  (field, body, subject, expected) => {
    const email = Buffer.from(`${field}\r\nSubject: ${subject}\r\n\r\n${body}`, "latin1");

    expect(parseEmail(email)?.headers.Subject).toEqual([expected]);
    expect(readEnvelope(email).subject).toBe(expected);
  },
);

test("text with a colon is not a header if no field follows", () => {
  expect(parse("Dear Ada: hello", "", "Bye: bye").parts).toEqual([text("Dear Ada: hello\r\n\r\nBye: bye")]);
  expect(parse("", "", "Dear reader:", "").parts).toEqual([text("\r\nDear reader:\r\n")]);
});

test.each([
  [["Hello,", "you"]],
  [["Hello, see", "https://example.com/"]],
  [["hello", "  you", "there"]],
  [["Hello", "Note: you", "there", "", "Bye: bye"]],
  [["Dear Ada: hello", "Note: you", "there", "", "Bye: bye"]],
  [["Dear Ada: hello"]],
])("text directly after the header belongs to the body: %j", (lines) => {
  expect(parse("Subject: Hi", ...lines)).toMatchObject({
    parts: [text(lines.join("\r\n"))],
    headers: { Subject: ["Hi"] },
  });
});

test.each([
  [" ", "Hello"],
  ["\t \t", "Hello\r\nyou"],
  [" ", "--b"],
  [" ", "Note: all\r\nis well"],
  [" ", "Call me\r\nPhone: 555 0100"],
])("the empty line after the header may contain blanks: %j, %j", (blank, content) => {
  expect(parse("Subject: Hi", blank, content)).toMatchObject({
    parts: [text(content)],
    headers: { Subject: ["Hi"] },
  });
});

test.each([
  [["  ", " <bob@example.org>"], "Bob   <bob@example.org>"],
  [["\t", "X-Next: y"], "Bob"],
  [[" "], "Bob"],
])("a header field may contain a blank line (RFC 5322, section 4.2): %j", (lines, to) => {
  expect(parse("To: Bob", ...lines, "", "Hello")).toMatchObject({
    parts: [text("Hello")],
    headers: { To: [to] },
  });
});

test.each([
  [["Content-Type: text/html;", "charset=koi8-r"], "text/html; charset=koi8-r"],
  [["Content-Type:", "text/html; charset=koi8-r", "Subject: Hi"], " text/html; charset=koi8-r"],
  [["Content-Type: text/html", ";charset=koi8-r", "no field", "Subject: Hi"], "text/html ;charset=koi8-r no field"],
])("a field may continue in a line without indentation: %j", (lines, value) => {
  expect(parse(...lines, "", "\xf0")).toMatchObject({
    parts: [html("П")],
    headers: { "Content-Type": [value.trim()] },
  });
});

test.each([
  ["To: ada@example.com,", "bob@example.org"],
  ["To:", "bob@example.org"],
  ["To: ada@example.com; ", "bob@example.org"],
])("a field that ends in a comma, semicolon or colon continues in the next line: %j", (line, rest) => {
  expect(parse(line, rest, "", "Hello")).toMatchObject({
    parts: [text("Hello")],
    headers: { To: [expect.stringContaining(rest)] },
  });
});

const base64 = ["Content-Transfer-Encoding: base64", "From: ada@example.com", "Subject: Hi"];

test.each([
  ["Reply To: eve@example.net", { "Reply To": ["eve@example.net"] }],
  ["Reply To : <eve@example.net>", { "Reply To": ["<eve@example.net>"] }],
  [`${"word ".repeat(15)}: a`, { ["word ".repeat(15).trim()]: ["a"] }],
  ["Reply To:3@example.net", { "Reply To": ["3@example.net"] }],
  ["X-Pr\xc3\xa9nom: Ada", { "X-Prénom": ["Ada"] }],
  ["X-Pr\xe9nom:", { "X-Prénom": [""] }],
  ["(X) Mailer; a=b: 1.0", { "(X) Mailer; a=b": ["1.0"] }],
])("a field with an unusual name is a field in any place of the header: %j", (odd, field) => {
  for (const place of [0, 1, 2, 3]) {
    const lines = base64.toSpliced(place, 0, odd);
    const email = [...lines, "", "R3LDvMOfZQ=="];

    expect(parse(...email)).toMatchObject({ parts: [text("Grüße")], headers: { ...field, Subject: ["Hi"] } });
    expect(readEnvelope(Buffer.from(email.join("\r\n"), "latin1")).sender).toBe("ada@example.com");
  }
});

test.each([["no field at all"], ["word"], ["12:00:00"], ["see https://example.com/"]])(
  "a line without a field belongs to the header of a base64 body, unless it is the first line: %j",
  (line) => {
    for (const place of [1, 2, 3]) {
      expect(parse(...base64.toSpliced(place, 0, line), "", "R3LDvMOfZQ==").parts).toEqual([text("Grüße")]);
    }
  },
);

test("base64 without an empty line before it is the body", () => {
  const lines = ["R3LDvMOfZQ==", "", "--b--"];
  const { parts } = parse("Content-Type: multipart/mixed; boundary=b", "", "--b", ...base64, ...lines);

  expect(parts).toEqual([text("Grüße")]);
});

test("an mbox line inside a header is not part of a field", () => {
  const { headers } = parse("To: bob@example.org", "From ada@example.com Fri Nov 20 12:00:00 2026", "Subject: Hi", "");

  expect(headers).toEqual({ To: ["bob@example.org"], Subject: ["Hi"] });
});

test("a delimiter ends the header, of the email and of a part", () => {
  const { parts } = parse(
    'Content-Type: multipart/mixed; boundary="b:1"',
    "--b:1",
    "Content-Type: text/html",
    "<p>one</p>",
    "--b:1",
    "Content-Type: text/html",
    "--b:1",
    "",
    "three",
    "--b:1--",
  );

  expect(parts).toEqual([html("<p>one</p>"), html(""), text("three")]);
});

test("lines may end in CR CR LF", () => {
  const email =
    "Subject: Hi\r\r\nContent-Type: multipart/mixed;\r\r\n boundary=b\r\r\n\r\r\n--b\r\r\n\r\r\nHello\r\n--b--\r\r\n";
  const parsed = parseEmail(Buffer.from(email));

  expect(parsed?.headers.Subject).toEqual(["Hi"]);
  expect(parsed?.parts).toEqual([text("Hello")]);
});

test("a tab at the end of a line is not part of a value", () => {
  const { headers } = parse("Subject: Hi\t", "To: bob@example.org \t", "", "");

  expect(headers).toEqual({ Subject: ["Hi"], To: ["bob@example.org"] });
});
