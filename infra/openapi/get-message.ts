/** What the document says about Get Message. */
import { invalid, messageNotFound, tooLargeUncompressed } from "../../lib/api/error-catalogue.ts";
import { getMessage } from "../../lib/api/operations.ts";
import { uuidRule } from "../../lib/api/parameters.ts";
import { domainScope } from "../../lib/api-keys/scopes.ts";
import type { OperationNotes } from "./notes.ts";
import { badRequest, error, failures, forbidden, response, unauthorized } from "./responses.ts";

const delivered = {
  object: "message",
  created_at: "2026-11-20T12:00:00.000Z",
  updated_at: "2026-11-20T14:21:07.512Z",
  retain_until: "2026-12-20T12:00:00.000Z",
  direction: "outgoing",
  is_bounce_notification: false,
  delivery_attempts: [
    { time: "2026-11-20T12:00:01.204Z", log: "451 4.7.1 Greylisted, try again", status: "deferred" },
    { time: "2026-11-20T12:05:02.870Z", log: "250 2.0.0 Ok: queued as 4D1F2A", status: "delivered" },
  ],
  message_id: "<welcome-1@example.com>",
  id: "0b6cb1a2-3f0e-4d52-9a3c-6f2f7d1e8a10",
  subject: "Welcome, Ada",
  tags: ["onboarding"],
  sender: "hello@example.com",
  recipient: "ada@example.org",
  status: "delivered",
  num_attempts: 2,
  click_count: 1,
  open_count: 3,
  domain_id: "b1d5a1c7-58f3-4c0e-9a39-6f1f5d2c7e02",
  account_id: "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11",
  sent_at: "2026-11-20T12:00:01.204Z",
  delivered_at: "2026-11-20T12:05:02.870Z",
  content: [
    "From: hello@example.com",
    "To: ada@example.org",
    "Subject: Welcome, Ada",
    "Message-ID: <welcome-1@example.com>",
    "Content-Type: multipart/mixed; boundary=next",
    "",
    "--next",
    "Content-Type: text/html; charset=utf-8",
    "",
    "<p>Welcome aboard!</p>",
    "--next",
    "Content-Type: application/pdf",
    "Content-Disposition: attachment; filename=guide.pdf",
    "Content-Transfer-Encoding: base64",
    "",
    "JVBERi0xLjcK",
    "--next--",
    "",
  ].join("\r\n"),
  content_parsed: {
    parts: [{ content_type: "text/html", content: "<p>Welcome aboard!</p>" }],
    attachments: [
      { filename: "guide.pdf", content: "JVBERi0xLjcK", content_type: "application/pdf", content_id: "" },
    ],
    headers: {
      From: ["hello@example.com"],
      To: ["ada@example.org"],
      Subject: ["Welcome, Ada"],
      "Message-ID": ["<welcome-1@example.com>"],
      "Content-Type": ["multipart/mixed; boundary=next"],
    },
  },
};

const { content: _content, content_parsed: _contentParsed, ...deliveredHead } = delivered;

const bounce = {
  ...deliveredHead,
  updated_at: "2026-11-20T12:00:00.000Z",
  direction: "incoming",
  is_bounce_notification: true,
  delivery_attempts: [],
  message_id: "<bounce-1@mx.example.org>",
  id: "5b0d7c1e-2a4f-4e86-8c19-0d3e9f7b6a21",
  subject: "Undelivered Mail Returned to Sender",
  tags: [],
  sender: "mailer-daemon@mx.example.org",
  recipient: "hello@example.com",
  status: "received",
  num_attempts: 0,
  click_count: 0,
  open_count: 0,
  sent_at: null,
  delivered_at: null,
  bounce_classification: "mailbox-full",
  reference_message_id: 4503599627370497,
  content: null,
  content_parsed: null,
};

export const getMessageNotes: OperationNotes = {
  tag: "Messages",
  summary: "Get Message",
  description: `Answers one message: its delivery attempts and counters, the original raw email, and the email
taken apart into texts, attachments and headers.

A message can be read from the moment the call that stored it has returned, until its \`retain_until\`. An email may
be as large as 40 MiB; the answer is streamed, and compressed with zstd, br or gzip as \`Accept-Encoding\` asks.

The API key needs the scope \`${getMessage.scope}\`, or \`${domainScope("example.com")}\` (braces included), where
\`example.com\` is the domain of the message's sender, or of the recipient of an incoming message.`,
  responses: {
    200: response(
      "The message.",
      "Message",
      {
        delivered: { summary: "An email that was delivered, opened and clicked", value: delivered },
        bounce: { summary: "A bounce notification whose content is not available", value: bounce },
      },
      {
        "Content-Encoding": {
          description: "How the body is compressed. Absent when it is not.",
          schema: { type: "string", enum: ["zstd", "br", "gzip"] },
        },
        Vary: {
          description: "The compression depends on the Accept-Encoding of the request.",
          required: true,
          schema: { const: "Accept-Encoding" },
        },
      },
    ),
    400: badRequest({
      "An account_id that is no UUID": invalid(uuidRule("account_id")),
      "A message_id that is no UUID": invalid(uuidRule("message_id")),
    }),
    401: unauthorized,
    403: forbidden(getMessage.scope),
    404: error("There is no such message in this account, or it has been purged.", {
      "No such message": messageNotFound,
    }),
    406: error(
      "The message's JSON is over the 200 MB that a response may have, and `Accept-Encoding` names no coding that " +
        "brings it below. Only an email of many control characters comes to that.",
      { "Too large without compression": tooLargeUncompressed },
    ),
    ...failures,
  },
};
