/** Parses whole emails into parts, attachments and headers. */
import { expect, test } from "vitest";
import { parseEmail } from "../../../lib/messages/mime.ts";
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
  expect(
    Buffer.from(attachments[0]?.content ?? "", "base64")
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
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

test("parts of nested multiparts are in document order", async () => {
  const { parts, attachments } = await parseSample("html-alternative-inline-image");

  expect(parts).toEqual([text("Look at this."), html('<p>Look at <img src="cid:sea@example.com"></p>')]);
  expect(attachments).toMatchObject([
    { content_type: "image/gif", filename: "", content_id: "sea@example.com" },
  ]);
});

test("text is an attachment if its disposition is attachment or it has a file name", async () => {
  expect(await parseSample("text-attachment-and-named-text")).toMatchObject({
    parts: [text("inline text"), { content_type: "text/x-diff", content: "+ no name after all" }],
    attachments: [
      attachment("text/plain", "an attachment without a name"),
      attachment("text/csv", "a;1", "prices.csv"),
      attachment("text/plain", "named, so a file", "notes.txt"),
    ],
  });
});

test("message/rfc822 is an attachment that contains the embedded message", async () => {
  const embedded =
    "From: eve@example.net\r\nSubject: =?utf-8?q?D=C3=A9jeuner?=\r\nContent-Type: multipart/mixed; boundary=embedded\r\n\r\n--embedded\r\n\r\nLunch?\r\n--embedded--\r\n";

  expect(await parseSample("forwarded-message-rfc822")).toMatchObject({
    parts: [text("See below.")],
    attachments: [attachment("message/rfc822", embedded)],
  });
});

test("only a direct part of a digest is message/rfc822 if it has no Content-Type", async () => {
  const email = (subject: string) =>
    attachment(
      "message/rfc822",
      `From: eve@example.net\r\nSubject: ${subject}\r\n\r\nThe text of ${subject}`,
    );

  expect(await parseSample("multipart-digest")).toMatchObject({
    parts: [
      text("Two emails follow."),
      text("unreadable"),
      text("not in the digest itself"),
      text("after it"),
    ],
    attachments: [email("One"), email("Two")],
  });
});

test("an invitation is a text part, and its copy is an attachment", async () => {
  const { parts, attachments } = await parseSample("calendar-invite");

  expect(parts.map((part) => part.content_type)).toEqual(["text/plain", "text/calendar"]);
  expect(parts[1]?.content).toContain("SUMMARY:Planning – Q1\r\n");
  expect(attachments).toEqual([
    attachment("application/ics", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "invite.ics"),
  ]);
});

test("a signature is an attachment", async () => {
  const { parts, attachments } = await parseSample("smime-signed");

  expect(parts).toEqual([text("I owe you ten euros.\r\n")]);
  expect(attachments).toMatchObject([
    {
      filename: "smime.p7s",
      content_type: "application/pkcs7-signature",
      content: "MIIBAgIBATANBglghkgBZQMEAgEFADA=",
    },
  ]);
});

test("an encrypted email has attachments only", async () => {
  const armored = "-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA0\r\n-----END PGP MESSAGE-----";

  expect(await parseSample("pgp-encrypted")).toMatchObject({
    parts: [],
    attachments: [
      attachment("application/pgp-encrypted", "Version: 1"),
      attachment("application/octet-stream", armored, "encrypted.asc"),
    ],
  });
});

test("flowed text is not changed", async () => {
  const { parts } = await parseSample("format-flowed");

  expect(parts).toEqual([text("> A quoted line that \r\n> flows on.\r\nA line that \r\nflows, too.\r\n")]);
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

test("an empty email is one empty text part", async () => {
  expect(parseEmail(new Uint8Array())).toEqual({ parts: [text("")], attachments: [], headers: {} });
  expect(await parseSample("empty")).toEqual({ parts: [text("")], attachments: [], headers: {} });
});

test("an email without a body has an empty text part", async () => {
  const { parts, headers } = await parseSample("header-only");

  expect(parts).toEqual([text("")]);
  expect(headers.Subject).toEqual(["Nothing to say"]);
});

test("an email without a header is text", async () => {
  const { parts, headers } = await parseSample("no-headers");

  expect(parts).toEqual([
    text("Dear reader: this email has no header at all.\r\n\r\nIt starts with its text.\r\n"),
  ]);
  expect(headers).toEqual({});
});

test("an mbox line or a UTF-8 signature before an email is not part of it", async () => {
  const fromMailbox = await parseSample("mbox-from-line");
  const fromEditor = await parseSample("utf8-signature-before-header");

  expect(fromMailbox.parts).toEqual([text("Hello\r\n")]);
  expect(Object.keys(fromMailbox.headers)).toEqual(["From", "To", "Subject"]);
  expect(fromEditor.parts).toEqual([text("Hello\r\n")]);
  expect(Object.keys(fromEditor.headers)).toEqual(["From", "To", "Subject"]);
});
