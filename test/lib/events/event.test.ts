import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { parseEvent } from "../../../lib/events/event.ts";
import { RejectedError } from "../../../lib/messages/rejected-error.ts";

const common = { id: "1", account_id: randomUUID(), message: { id: randomUUID() } };
const opened = { type: "message.opened", ...common };
const status = { type: "message.status", ...common, time: "2026-11-20T12:00:00Z", status: "sent" };
const stored = {
  type: "message.stored",
  ...common,
  message: {
    ...common.message,
    domain_id: randomUUID(),
    direction: "outgoing",
    message_id: "<1@example.com>",
    subject: "Hello",
    sender: "hello@example.com",
    recipient: "grüße@example.org",
    status: "accepted",
    retain_until: "2026-12-20T13:00:00+01:00",
  },
  raw_email: "2026/11/20/1.eml",
};

const parse = (event: unknown) => parseEvent(JSON.stringify(event));

test("An event has its ids in lower case and its times in UTC, and other fields are ignored", () => {
  const event = parse({
    ...status,
    account_id: status.account_id.toUpperCase(),
    time: "2026-11-20T13:00:00+01:00",
    note: 1,
  });

  expect(event).toEqual({ ...status, time: "2026-11-20T12:00:00.000000000Z" });
});

test("An optional field that is null counts as left out", () => {
  const nulls = { sent_at: null, delivered_at: null, bounce_classification: null };
  const more = { external_id: null, is_bounce_notification: null, tags: null, reference_message_id: null };

  expect(parse({ ...status, ...nulls })).toEqual(parse(status));
  expect(parse(storedWith({ ...nulls, ...more }))).toEqual(parse(stored));
});

test("A time may have t and z in lower case, and an event may begin with a byte order mark", () => {
  const event = { ...status, time: "2026-11-20t12:00:00.5z" };

  expect(parseEvent(`\ufeff${JSON.stringify(event)}`)).toMatchObject({ time: "2026-11-20T12:00:00.500000000Z" });
});

test.each(["subject", "message_id"])(
  "U+FFFD in an email's %s is kept, because a stranger may have written it",
  (name) => {
    expect(parse(storedWith({ [name]: "\ufffd" }))).toMatchObject({ message: { [name]: "\ufffd" } });
  },
);

test("A key of the bucket has up to 1,024 bytes", () => {
  const raw_email = "é".repeat(512);

  expect(parse({ ...stored, raw_email })).toMatchObject({ raw_email });
});

const withReference = (digits: string) =>
  parseEvent(JSON.stringify(stored).replace('"subject"', `"reference_message_id":${digits},"subject"`));

test.each([
  ["9223372036854775807", 9223372036854775807n],
  ["-9223372036854775808", -9223372036854775808n],
  ["9007199254740993", 9007199254740993n],
  ["0", 0n],
  ["1.0", 1n],
  ["1e3", 1000n],
  ["-1.50E+1", -15n],
  ["9223372036854775807.0", 9223372036854775807n],
  ["92233720368547758070e-1", 9223372036854775807n],
])("reference_message_id %s is read exactly", (digits, reference_message_id) => {
  expect(withReference(digits)).toMatchObject({ message: { reference_message_id } });
});

test.each(["1.5", "15e-1", "9223372036854775808", "1e19", "1e400"])(
  "reference_message_id %s is rejected, because it is no int64",
  (digits) => {
    expect(() => withReference(digits)).toThrow("message.reference_message_id must be");
  },
);

const storedWith = (fields: object) => ({ ...stored, message: { ...stored.message, ...fields } });
const { account_id: _, ...withoutAccount } = opened;

test.each([
  ["{", "it is not JSON"],
  ["[]", "must be one of"],
  ["null", "must be a JSON object"],
  ['"message.opened"', "must be a JSON object"],
  [
    { ...opened, type: "message.printed" },
    "type must be one of message.stored, message.content, message.status, message.delivery_attempt, message.opened, message.clicked",
  ],
  [{ ...opened, id: "" }, "id must have 1 to 255 characters"],
  [{ ...opened, id: "x".repeat(256) }, "id must have 1 to 255 characters"],
  [{ ...opened, id: "\ud800" }, "id must not contain half a surrogate pair"],
  [withoutAccount, "account_id must be a UUID"],
  [{ ...opened, message: "m-1" }, "message must be an object"],
  [{ ...opened, message: { id: "m-1" } }, "message.id must be a UUID"],
  [{ ...status, time: "yesterday" }, "time must be ISO 8601 with an offset"],
  [{ ...status, time: "9999-12-31T23:59:59-00:01" }, "time must be between the years 0000 and 9999"],
  [{ ...status, sent_at: "0000-01-01T00:00:00+00:01" }, "sent_at must be between the years 0000 and 9999"],
  [{ ...status, status: "x".repeat(1001) }, "status must have at most 1000 characters"],
  [{ ...status, type: "message.delivery_attempt" }, "log must be a string"],
  [{ ...stored, raw_email: 1 }, "raw_email must be a string"],
  [{ ...stored, raw_email: "" }, "raw_email must not be empty"],
  [{ ...stored, raw_email: "\ud800.eml" }, "raw_email must not contain half a surrogate pair"],
  [storedWith({ sender: "ada@example.com, Bo" }), "message.sender must be an email address"],
  [storedWith({ sender: "Ada <ada>" }), "message.sender must be an email address"],
  [storedWith({ recipient: "<>" }), "message.recipient must be an email address"],
  [storedWith({ external_id: "80" }), "message must have either id or external_id"],
  [{ ...opened, message: { ...common.message, external_id: "80" } }, "message must have either id or external_id"],
  [{ ...opened, message: {} }, "message must have either id or external_id"],
  [{ ...opened, message: { external_id: "" } }, "message.external_id must have 1 to 255 characters"],
  [{ ...stored, raw_email: "é".repeat(513) }, "raw_email must have at most 1024 bytes of UTF-8"],
  [{ ...status, time: "2016-12-31T23:59:60Z" }, "time must be ISO 8601 with an offset"],
  [{ ...opened, id: "Jos\ufffd" }, "it has U+FFFD, which stands for bytes that were not UTF-8"],
  [storedWith({ tags: ["a", "\ufffd"] }), "it has U+FFFD"],
  [JSON.stringify(status).replace("sent", String.raw`\uFFFD`), "it has U+FFFD"],
  [storedWith({ retain_until: null }), "message.retain_until must be ISO 8601 with an offset"],
])("%j is rejected: %s", (event, reason) => {
  const json = typeof event === "string" ? event : JSON.stringify(event);

  expect(() => parseEvent(json)).toThrow(RejectedError);
  expect(() => parseEvent(json)).toThrow(reason);
});

test("The reason for a rejected event names every wrong field, and quotes nothing from the event", () => {
  const secret = "s3cret@example.com";

  const failed = (event: unknown) => {
    try {
      return parseEvent(typeof event === "string" ? event : JSON.stringify(event));
    } catch (error) {
      return (error as Error).message;
    }
  };

  const rules = "time must be ISO 8601 with an offset; status must be a string";
  expect(failed({ ...status, time: secret, status: 1 })).toBe(rules);
  expect(failed({ ...opened, type: secret })).not.toContain(secret);
  expect(failed(`{"type": ${secret}}`)).not.toContain("s3cret");
});

test("An id may have 255 characters, however many bytes they have", () => {
  expect(parse({ ...opened, id: "🌍".repeat(255) })).toMatchObject({ id: "🌍".repeat(255) });
});

test.each([
  ["Ada <ada@example.com>", "ada@example.com"],
  ['"Doe, <Ada>" <ada@example.com>', "ada@example.com"],
  ["=?utf-8?q?Ada,_CEO?= < ada@example.com > (work)", "ada@example.com"],
  ['"<ada>"@example.com', '"<ada>"@example.com'],
  ["", "mailer-daemon@xn--grn-ioa.example"],
  ["<>", "mailer-daemon@xn--grn-ioa.example"],
  ["Mail Delivery System <>", "mailer-daemon@xn--grn-ioa.example"],
])("The sender %j of an event is %s", (sender, expected) => {
  const event = parse(storedWith({ sender, recipient: "Bo <bo@grün.example>" }));

  expect(event).toMatchObject({ message: { sender: expected, recipient: "bo@grün.example" } });
});

test("The id that external_id stands for is a UUID version 5, which any program can compute", () => {
  // The example of RFC 9562, section A.4, with its namespace as the account.
  const account_id = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8";
  const event = parse({ ...opened, account_id, message: { external_id: "www.example.com" } });

  expect(event).toEqual({
    ...opened,
    account_id: account_id.toLowerCase(),
    message: { id: "2ed6657d-e927-568b-95e1-2665a8aea6a2" },
  });
  expect(parse({ ...opened, message: { external_id: "🌍".repeat(255) } })).toMatchObject({ type: "message.opened" });
});
