/** Parses whole emails into parts, attachments and headers. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { parseEmail } from "../../../lib/email/parse-email.ts";
import { attachment, html, parseSample, text } from "../../harness/sample-email.ts";

test("an outgoing email has text, HTML and an inline image", async () => {
  const { parts, attachments, headers } = await parseSample("welcome-html-with-logo");

  expect(parts.map((part) => part.content_type)).toEqual(["text/plain", "text/html"]);
  expect(parts[0]?.content).toMatch(
    /^Hello Zoë,\r\n\r\nyour account is ready\. .*\r\nhttps:\/\/example\.com\/start\?from=welcome\r\n/,
  );
  expect(parts[1]?.content).toContain('<img src="cid:logo@example.com" width="48"');
  expect(attachments).toMatchObject([
    { filename: "logo.png", content_type: "image/png", content_id: "logo@example.com" },
  ]);
  expect(Buffer.from(attachments[0]?.content ?? "", "base64").toString("latin1", 1, 4)).toBe("PNG");
  expect(headers).toMatchObject({
    To: ["Zoë García <zoe@example.org>"],
    Subject: ["Welcome to Example Post, Zoë! 🎉"],
    "List-Unsubscribe": [
      "<https://example.com/unsubscribe/8f14e45f>, <mailto:unsubscribe@example.com?subject=8f14e45f>",
    ],
  });
});

test("an invoice has text and a PDF with its file name", async () => {
  const { parts, attachments, headers } = await parseSample("invoice-pdf-attachment");

  expect(parts).toEqual([
    text(
      "Guten Tag Sebastian Müßig,\r\n\r\nanbei die Rechnung für 42 Croissants: 90,00 €, zahlbar bis 4. Dezember.\r\n\r\nHerzliche Grüße\r\nBäckerei Blüte",
    ),
  ]);
  expect(attachments).toMatchObject([
    { filename: "Rechnung Bäckerei Blüte.pdf", content_type: "application/pdf", content_id: "" },
  ]);
  const pdf = Buffer.from(attachments[0]?.content ?? "", "base64").toString("latin1");
  expect(pdf).toMatch(/^%PDF-1\.4\n%âãÏÓ\n.*%%EOF\n$/s);
  expect(headers.Subject).toEqual(["Ihre Rechnung 2026-1120 über 90 €"]);
  expect(headers.To).toEqual(["Sebastian Müßig <s.muessig@example.net>"]);
});

test("a bounce has a notification, a delivery status and the headers of the bounced email", async () => {
  const { parts, attachments, headers } = await parseSample("bounce-delivery-status");

  expect(parts.map((part) => part.content_type)).toEqual(["text/plain", "text/rfc822-headers"]);
  expect(parts[0]?.content).toMatch(/^This is the mail system at host mx\.example\.net\.\r\n/);
  expect(parts[1]?.content).toMatch(/Subject: Your weekly summary\r\nMessage-ID: .*>\r\n$/);
  expect(attachments).toMatchObject([{ content_type: "message/delivery-status", filename: "" }]);
  expect(Buffer.from(attachments[0]?.content ?? "", "base64").toString()).toMatch(
    /^Reporting-MTA: dns; mx\.example\.net\r\n.*\r\nStatus: 5\.1\.1\r\n/s,
  );
  expect(headers["Return-Path"]).toEqual(["<>"]);
  expect(headers.Received).toEqual([
    "from mx.example.net (mx.example.net [192.0.2.25])\tby in.example.com (Postfix) with ESMTPS id 4Xk2Qb1tTqz\tfor <bounces@example.com>; Fri, 20 Nov 2026 12:01:07 +0000 (UTC)",
    "by mx.example.net (Postfix)\tid 4Xk2QZ6YhWz; Fri, 20 Nov 2026 12:01:06 +0000 (UTC)",
  ]);
});

test("an email without MIME structure has one text part", async () => {
  expect(await parseSample("plain-text")).toEqual({
    parts: [text("Lunch at noon?\r\n-- \r\nAda\r\n")],
    attachments: [],
    headers: {
      From: ["ada@example.com"],
      To: ["bob@example.org"],
      Subject: ["Lunch"],
      Date: ["Fri, 20 Nov 2026 11:00:00 +0000"],
      "Message-ID": ["<lunch@example.com>"],
    },
  });
});

const embedded = (subject: string, content: string) =>
  attachment("message/rfc822", `From: eve@example.net\r\nSubject: ${subject}\r\n${content}`);
const nested = "Content-Type: multipart/mixed; boundary=embedded\r\n\r\n--embedded\r\n\r\nLunch?\r\n--embedded--\r\n";
const file = (content: string | Buffer, name = "") => attachment("application/octet-stream", content, name);
const withoutHeader = "Dear reader: this email has no header at all.\r\n\r\nIt starts with its text.";
const fromToSubject = ["From", "To", "Subject"];
const armored = "-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA0\r\n-----END PGP MESSAGE-----";

test.each([
  [
    "text is an attachment if its disposition is attachment or it has a file name",
    "text-attachment-and-named-text",
    [text("inline text"), { content_type: "text/x-diff", content: "+ no name after all" }],
    [
      attachment("text/plain", "an attachment without a name"),
      attachment("text/csv", "a;1", "prices.csv"),
      attachment("text/plain", "named, so a file", "notes.txt"),
    ],
  ],
  [
    "parts of nested multiparts are in document order",
    "html-alternative-inline-image",
    [text("Look at this."), html('<p>Look at <img src="cid:sea@example.com"></p>')],
    [{ content_type: "image/gif", filename: "", content_id: "sea@example.com" }],
  ],
  [
    "message/rfc822 is an attachment that contains the embedded message",
    "forwarded-message-rfc822",
    [text("See below.")],
    [embedded("=?utf-8?q?D=C3=A9jeuner?=", nested)],
  ],
  [
    "only a direct part of a digest is message/rfc822 if it has no Content-Type",
    "multipart-digest",
    [text("Two emails follow."), text("unreadable"), text("not in the digest itself"), text("after it")],
    [embedded("One", "\r\nThe text of One"), embedded("Two", "\r\nThe text of Two")],
  ],
  [
    "an invitation is a text part, and its copy is an attachment",
    "calendar-invite",
    [{ content_type: "text/plain" }, { content: expect.stringContaining("SUMMARY:Planning – Q1\r\n") }],
    [attachment("application/ics", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "invite.ics")],
  ],
  [
    "a signature is an attachment",
    "smime-signed",
    [text("I owe you ten euros.\r\n")],
    [{ filename: "smime.p7s", content: "MIIBAgIBATANBglghkgBZQMEAgEFADA=" }],
  ],
  [
    "an encrypted email has only attachments",
    "pgp-encrypted",
    [],
    [attachment("application/pgp-encrypted", "Version: 1"), file(armored, "encrypted.asc")],
  ],
  [
    "flowed text is not changed",
    "format-flowed",
    [text("> A quoted line that \r\n> flows on.\r\nA line that \r\nflows, too.\r\n")],
    [],
  ],
  ["an email without a body has an empty text part", "header-only", [text("")], []],
  ["an empty email is one empty text part", "empty", [text("")], [], []],
  ["an email without a header is text", "no-headers", [text(`${withoutHeader}\r\n`)], [], []],
  ["an mbox line is not part of an email", "mbox-from-line", [text("Hello\r\n")], [], fromToSubject],
  ["a UTF-8 signature is not, either", "utf8-signature-before-header", [text("Hello\r\n")], [], fromToSubject],
  [
    "an incomplete email has the start of its last part",
    "unterminated-multipart",
    [text("The whole text")],
    [file("hello worl")],
  ],
  [
    "a boundary of an outer multipart closes the inner multiparts",
    "unterminated-nested-multiparts",
    [text("text"), html("<p>text</p>")],
    [attachment("application/pdf", "%PDF-")],
  ],
  [
    "preamble, epilogue and lines that resemble boundaries are not parts",
    "preamble-and-epilogue",
    [text("--bb is text, and so are\r\n--b-\r\n-- b")],
    [],
  ],
  ["a multipart without boundary is text/plain", "multipart-without-boundary", [text("--b\r\nHello\r\n")], []],
  [
    "a multipart without its boundary in the body is text/plain",
    "multipart-boundary-not-in-body",
    [text("Grüße\r\n--right"), html("<p>Hello</p>")],
    [],
  ],
  [
    "a part may have no header, no empty line or no body",
    "part-without-empty-line",
    [text("Just text, no header"), html(""), text("")],
    [attachment("image/png", "", "dot.png")],
  ],
  [
    "quoted-printable is decoded, and invalid escapes remain",
    "quoted-printable-damaged",
    [text("soft break, padded break, lower ü, bare =, broken =G1 =C, trailing\r\na = b\r\nend")],
    [],
  ],
  [
    "base64 decoding ignores other characters, and ends at the padding",
    "base64-damaged",
    [text("Grüße")],
    [file(Buffer.of(0, 1, 2, 255))],
  ],
  [
    "a body with an unknown transfer encoding is not decoded",
    "unknown-transfer-encoding",
    [text("Gr=C3=BC=C3=9Fe, Grüße\r\n")],
    [],
  ],
  [
    "a binary attachment keeps every byte",
    "binary-attachment",
    [],
    [file(Buffer.from([...Array(256).keys(), 13, 10]))],
  ],
])("%s", async (_, sample, parts, attachments, names?: string[]) => {
  const parsed = await parseSample(sample);

  expect(parsed).toMatchObject({ parts, attachments });
  if (names) expect(Object.keys(parsed.headers)).toEqual(names);
});

test("an attachment of many slices keeps every byte", () => {
  const bytes = randomBytes(200_000);
  const head = "Content-Type: application/pdf\n\n";

  const [file] = parseEmail(Buffer.concat([Buffer.from(head), bytes]))?.attachments ?? [];

  expect(file?.content === bytes.toString("base64")).toBe(true);
});

test("headers whose names differ only in case share one array under the first spelling", async () => {
  const { headers } = await parseSample("header-case-and-repeats");

  expect(JSON.parse(JSON.stringify(Object.entries(headers)))).toEqual([
    [
      "Received",
      [
        "from a.example.com by b.example.com; Fri, 20 Nov 2026 11:00:02 +0000",
        "from c.example.com by a.example.com; Fri, 20 Nov 2026 11:00:01 +0000",
        "from d.example.com by c.example.com; Fri, 20 Nov 2026 11:00:00 +0000 this line is no header field",
      ],
    ],
    ["From", ["ada@example.com"]],
    ["To", ["bob@example.org"]],
    ["Subject", ["Spaced colon"]],
    ["__proto__", ["own"]],
    ["constructor", ["own"]],
    ["X-Empty", [""]],
    ["X-Folded-Empty", ["late"]],
    ["X-Last", ["yes"]],
  ]);
});
