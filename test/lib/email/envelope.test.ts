import { expect, test } from "vitest";
import {
  hasNullSender,
  isDeliveryReport,
  readEnvelope,
  readHeader,
  readRecipients,
} from "../../../lib/email/envelope.ts";
import { sampleEmail } from "../../harness/sample-email.ts";

const headerOf = (lines: string[]) => Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
const read = (...lines: string[]) => readEnvelope(headerOf(lines));

test.each([
  [
    "invoice-pdf-attachment",
    ["Ihre Rechnung 2026-1120 über 90 €", "rechnung@example.com", "s.muessig@example.net"],
    ["<invoice.2026-1120@example.com>", "2026-11-20T16:05:12Z"],
  ],
  [
    "bounce-delivery-status",
    ["Undelivered Mail Returned to Sender", "MAILER-DAEMON@mx.example.net", "bounces@example.com"],
    ["<20261120120106.4Xk2QZ6YhWz@mx.example.net>", "2026-11-20T12:01:06Z"],
  ],
  // The recipient is in a group after a quoted name, and the Message-ID is trimmed.
  [
    "group-recipients",
    ["To a group", "ada@example.com", "bob@example.org"],
    ["<group@example.com>", "2026-11-20T11:00:00Z"],
  ],
])("the envelope is read from the header: %s", async (name, [subject, sender, recipient], [message_id, date]) => {
  const envelope = { subject, sender, recipient, message_id, date: new Date(date ?? "") };

  expect(readEnvelope(await sampleEmail(name))).toEqual(envelope);
});

test("a missing value is empty, and a missing date is null", async () => {
  const nothing = { subject: "", sender: "", recipient: "", message_id: "", date: null };

  expect(readEnvelope(await sampleEmail("empty"))).toEqual(nothing);
  expect(readEnvelope(await sampleEmail("no-headers"))).toEqual(nothing);
});

test("the sender is read from From, otherwise from Sender or Return-Path", () => {
  const lines = ["Return-Path: <c@example.com>", "Sender: b@example.com", "From: a@example.com"];

  expect(read(...lines).sender).toBe("a@example.com");
  expect(read(...lines.slice(0, 2)).sender).toBe("b@example.com");
  expect(read(...lines.slice(0, 1)).sender).toBe("c@example.com");
  expect(read("Return-Path: <>").sender).toBe("");
});

test("the recipient is read from To, otherwise from Delivered-To, X-Original-To or Cc", () => {
  const lines = [
    "Cc: d@example.com",
    "X-Original-To: c@example.com",
    "Delivered-To: b@example.com",
    "To: a@example.com",
  ];

  expect(read(...lines).recipient).toBe("a@example.com");
  expect(read(...lines.slice(0, 3)).recipient).toBe("b@example.com");
  expect(read(...lines.slice(0, 2)).recipient).toBe("c@example.com");
  expect(read(...lines.slice(0, 1)).recipient).toBe("d@example.com");
  expect(read("To: undisclosed-recipients:;", ...lines.slice(0, 1)).recipient).toBe("d@example.com");
  expect(read("To: undisclosed-recipients:;", "Cc: d@x.org", "To: a@x.org").recipient).toBe("a@x.org");
});

test.each([
  ...["Bcc", "Envelope-To", "X-Envelope-To", "Apparently-To", "Delivered-To", "X-Original-To"],
  ...["X-Delivered-To", "X-Rcpt-To", "Resent-To"],
  ...["Resent-Cc", "Resent-Bcc", "X-Apparently-To", "X-Real-To", "X-Receiver", "X-Forwarded-To"],
  ...["Received: from a by b\r\n for", "Received: by b with SMTP id 1 FOR"],
])("the recipient is read from %s if there is no other", (name) => {
  const value = name.startsWith("Received") ? " <oto@example.org>; Mon, 05 Jan 2026" : ": Oto <oto@example.org>";

  expect(read(`${name}${value}`).recipient).toBe("oto@example.org");
});

test("what a mail server noted beats the sender's own copy, and that the Received fields", () => {
  const received = ["Received: from a by b; Mon, 05 Jan 2026", "Received: from b by c for c@example.com; Tue"];
  const lines = [...received, "Resent-To: b@example.com", "Bcc: a@example.com"];

  expect(read(...lines).recipient).toBe("a@example.com");
  expect(read(...lines.slice(0, 3)).recipient).toBe("b@example.com");
  expect(read(...lines.slice(0, 2)).recipient).toBe("c@example.com");
});

test("a date after a Received field's semicolon is no recipient", () => {
  expect(read("Received: from a by b for unknown; a@example.com").recipient).toBe("");
});

test("the recipients are everybody in To and Cc, but not in Bcc", () => {
  const lines = [
    "Bcc: d@example.com",
    "Cc: c@example.com",
    "To: Ada <a@example.com>, team: b@example.com;",
    "To: =?utf-8?q?e=40example.com?=",
  ];

  expect(readRecipients(headerOf(lines))).toEqual(["a", "b", "e", "c"].map((name) => `${name}@example.com`));
});

test("a header is found in any case, decoded, and the first of several counts", () => {
  const raw = headerOf(["x-id: =?utf-8?q?=C3=BC1?=", "X-ID: 2"]);

  expect(readHeader(raw, "X-Id")).toBe("ü1");
  expect(readHeader(raw, "X-Other")).toBe("");
  expect(readEnvelope(headerOf(["Subject: One", "Subject: Two"])).subject).toBe("One");
});

test.each([
  ["Return-Path: <>", true],
  ["Return-Path: < >", true],
  ["From: Mail Delivery System <>", true],
  ["Return-Path: <ada@example.com>", false],
  ["From: <> <ada@example.com>", false],
  ["From: MAILER-DAEMON", false],
  ["To: <>", false],
])("%s is a null sender: %j", (line, expected) => {
  expect(hasNullSender(headerOf([line]))).toBe(expected);
});

test.each([
  ["ada@example.com (Ada <wrong@example.net>)", "ada@example.com"],
  ['"wrong@example.net" <ada@example.com>', "ada@example.com"],
  ["=?utf-8?q?wrong=40example=2Enet=2C?= <ada@example.com>", "ada@example.com"],
  ["Zoë <zoë@example.com>", "zoë@example.com"],
  ["Ada, Bob <bob@example.com>", "bob@example.com"],
  ["MAILER-DAEMON", ""],
  ["=?utf-8?b?w4lsYW4gVml0YWwgPGVsYW5Ac2hvcC5leGFtcGxlPg==?=", "elan@shop.example"],
  ['"=?utf-8?q?Elan_<elan=40shop.example>?="', "elan@shop.example"],
  ["Ada <=?utf-8?q?ada=40example.com?=>", "ada@example.com"],
  ['"ada@example.com"', "ada@example.com"],
  ['Ada <"ada@example.com">', "ada@example.com"],
  ['"Ada <ada@example.com>', "ada@example.com"],
  ['"Ada \\" <ada@example.com>', "ada@example.com"],
  ["Ada (Sales <ada@example.com>", "ada@example.com"],
  ["Ada [SMTP:ada@example.com]", "ada@example.com"],
  ["Ada (ada@example.com)", "ada@example.com"],
  ['"ada@example.com" <>', ""],
  ['"Ada (ada@example.com)":;', ""],
  ['\x1b$B$"\x1b(B <ada@example.com>', "ada@example.com"],
  ["nia..v.@docomo.example", '"nia..v."@docomo.example'],
  ["'ada@example.com'", "ada@example.com"],
  ["Ada <'ada@example.com'>", "ada@example.com"],
  ["o'hara@example.com", "o'hara@example.com"],
])("the sender of From: %s is %j", (from, sender) => {
  expect(read(`From: ${from}`).sender).toBe(sender);
});

test("Date may be encoded as a whole", () => {
  const date = new Date("2026-01-05T08:10:11Z");

  expect(read("Date: =?utf-8?q?Mon,_05_Jan_2026_09:10:11_+0100?=").date).toEqual(date);
});

test.each([
  ["multipart/report; report-type=delivery-status; boundary=b", true],
  ['Multipart/Report; report-type="Delivery-Status"', true],
  ["multipart/report", true],
  ["message/delivery-status", true],
  ["multipart/report; report-type=disposition-notification", false],
  ["message/global-delivery-status", true],
  ["multipart/mixed; report-type=delivery-status", false],
  ["", false],
])("Content-Type: %s is a delivery report: %j", (type, expected) => {
  expect(isDeliveryReport(Buffer.from(`Content-Type: ${type}\r\n\r\n`))).toBe(expected);
});
