/** What SES reports, through the function RecordEvents and Get Message. */
import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { applyEvents } from "../../lib/events/apply-events.ts";
import { takeEvents } from "../../lib/events/receive-batch.ts";
import { findSender } from "../../lib/events/senders.ts";
import { idOfExternal } from "../../lib/messages/external-id.ts";
import { deleteMessage } from "../../lib/messages/remove/delete-message.ts";
import type { Table } from "../../lib/table/table.ts";
import { adminJson } from "../harness/admin.ts";
import { type CapturedOutput, captureOutput } from "../harness/captured-output.ts";
import { interceptedTable } from "../harness/intercepted-table.ts";
import { bearer, call, newKey, noon, startService, table } from "../harness/service.ts";
import { sesEvent, sesMessageId, sesReceived, throughEventBridge, throughSns } from "../harness/ses.ts";
import { deliver } from "../harness/sqs.ts";

let output: CapturedOutput;
beforeEach(() => {
  output = captureOutput();
});

const logged = () => output.lines().filter(({ message }) => message === "event");

const emails: Record<string, string> = { "ses-received/r-1": "Subject: Question\r\n\r\nHow much?" };
const readEmail = async (key: string) => Buffer.from(emails[key] ?? "");

const record = (bodies: readonly string[], on: Table = table): Promise<string[]> =>
  deliver(
    takeEvents(
      (events) => applyEvents(on, events, readEmail, noon),
      async () => {},
      (name) => findSender(on, name),
    ),
    bodies.map((body, index) => ({ messageId: String(index), body })),
  );

/** Adds a sender of a new account. A name may be added only once, so each test has an AWS account of its own. */
const newSender = async () => {
  const { account_id, secret } = await newKey();
  const awsAccount = String(Math.floor(Math.random() * 1e12)).padStart(12, "0");
  const domain = `d${awsAccount}.example`;
  const options = `--account ${account_id} --domain ${randomUUID()} --retain-days 90`;
  await adminJson(`add-sender ses:${awsAccount}:receipts ${options}`);
  await adminJson(`add-sender ses-received:${domain} ${options}`);
  return {
    account_id,
    awsAccount,
    domain,
    event: (type: string, parts?: object, mail: object = {}) =>
      sesEvent(type, parts, { sendingAccountId: awsAccount, ...mail }),
    get: async (recipient: string, messageId = sesMessageId) => {
      const id = idOfExternal(account_id, `ses:${messageId}:${recipient}`);
      const url = await startService(() => noon);
      const response = await call(`${url}/v2/accounts/${account_id}/messages/${id}`, { headers: bearer(secret) });
      // biome-ignore lint/suspicious/noExplicitAny: the tests compare it
      return (await response.json()) as any;
    },
  };
};

const at = (seconds: string) => `2096-11-20T12:00:${seconds}Z`;
const delivery = { timestamp: at("02.900"), recipients: ["Grace@Example.org"], smtpResponse: "250 2.0.0 OK" };
const bounced = { emailAddress: "GRACE@example.org", status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 unknown" };
const bounce = {
  timestamp: at("02.000"),
  bouncedRecipients: [bounced],
  bounceType: "Permanent",
  bounceSubType: "NoEmail",
};
const delayed = [{ emailAddress: "grace@example.org", status: "4.2.2" }];
const deliveryDelay = { timestamp: at("01.000"), delayedRecipients: delayed, delayType: "MailboxFull" };
const complainedRecipients = [{ emailAddress: "grace@example.org" }];
const complaint = { timestamp: at("30.000"), complainedRecipients, complaintSubType: null, feedbackId: "f" };
const open = { timestamp: at("10.000"), ipAddress: "192.0.2.1", userAgent: "Mail" };
const click = { ...open, link: "https://shop.example/", linkTags: null };

test("Send stores a message that expires after the sender's days", async () => {
  const { event, get, account_id } = await newSender();

  expect(await record([event("Send", { send: {} })])).toEqual([]);

  expect(await get("grace@example.org")).toMatchObject({
    account_id,
    direction: "outgoing",
    is_bounce_notification: false,
    message_id: `<${sesMessageId}@email.amazonses.com>`,
    subject: "Grüße",
    tags: ["campaign=autumn", "kind=a", "kind=b"],
    sender: "orders@shop.example",
    recipient: "Grace@Example.org",
    status: "accepted",
    sent_at: at("00.000"),
    delivered_at: null,
    retain_until: "2097-02-18T12:00:00.000Z",
    content: null,
  });
});

test.each([
  ["arn:aws:ses:eu-west-1:444455556666:identity/shop.example", "eu-west-1.amazonses.com"],
  ["arn:aws:ses:us-east-1:444455556666:identity/shop.example", "email.amazonses.com"],
  [undefined, "email.amazonses.com"],
])("The Message-ID has the host that SES writes for the identity %s", async (sourceArn, host) => {
  const { event, get } = await newSender();

  await record([event("Send", {}, { sourceArn })]);

  expect(await get("grace@example.org")).toMatchObject({ message_id: `<${sesMessageId}@${host}>` });
});

test("Send with more and longer tags than a message may have stores those that fit", async () => {
  const { event, get } = await newSender();
  const values = Array.from({ length: 101 }, (_, index) => `${index}`.padEnd(256, "x"));

  const given = { "ses:configuration-set": ["receipts"], kind: values };
  expect(await record([event("Send", { send: {} }, { tags: given })])).toEqual([]);

  const tags = values.slice(0, 100).map((value) => `kind=${value}`.slice(0, 255));
  expect(await get("grace@example.org")).toMatchObject({ tags });
});

test.each([
  ["Delivery", { delivery }, { status: "delivered", delivered_at: at("02.900") }, "250 2.0.0 OK"],
  ["Bounce", { bounce }, { status: "bounced", bounce_classification: "permanent/no-email" }, "smtp; 550 5.1.1 unknown"],
  ["DeliveryDelay", { deliveryDelay }, { status: "deferred" }, "MailboxFull"],
  ["Complaint", { complaint }, { status: "complained" }, undefined],
  ["Reject", { reject: { reason: "Bad content" } }, { status: "rejected" }, undefined],
  ["Rendering Failure", { failure: { templateName: "t" } }, { status: "failed" }, undefined],
  ["Open", { open }, { status: "accepted", open_count: 1 }, undefined],
  ["Click", { click }, { status: "accepted", click_count: 1 }, undefined],
])("%s is recorded once through each service, even without Send", async (type, parts, expected, log) => {
  const { event, get } = await newSender();
  const body = event(type, parts);

  expect(
    await record([body, throughSns(body), throughEventBridge(body), throughSns(throughEventBridge(body))]),
  ).toEqual([]);

  const message = await get("grace@example.org");
  expect(message).toMatchObject({ subject: "Grüße", num_attempts: log ? 1 : 0, ...expected });
  expect(message.delivery_attempts.map((attempt: { log: string }) => attempt.log)).toEqual(log ? [log] : []);
});

/** Each order that these events can have. */
const permutations = (bodies: string[]): string[][] =>
  bodies.length < 2
    ? [bodies]
    : bodies.flatMap((first, index) => permutations(bodies.toSpliced(index, 1)).map((rest) => [first, ...rest]));

test("In every order, alone or in a batch, twice, the later stage of a second wins", async () => {
  const { event, get } = await newSender();
  const inOrder = async (order: string[], index: number) => {
    const messageId = `order-${index}`;
    const bodies = order.map((type) => event(type, { deliveryDelay, delivery, bounce }, { messageId }));
    if (index % 2 === 0) for (const body of bodies) expect(await record([body])).toEqual([]);
    expect(await record([...bodies, ...bodies])).toEqual([]);

    expect(await get("grace@example.org", messageId)).toMatchObject({
      status: "bounced",
      bounce_classification: "permanent/no-email",
      delivered_at: at("02.900"),
      num_attempts: 3,
    });
  };

  await Promise.all(permutations(["Send", "DeliveryDelay", "Delivery", "Bounce"]).map(inOrder));
});

test.each([
  ["DeliveryDelay", "Delivery", "delivered"],
  ["Delivery", "Bounce", "bounced"],
  ["Bounce", "Complaint", "complained"],
  ["Complaint", "Reject", "rejected"],
  ["Complaint", "Rendering Failure", "failed"],
])("Of %s and %s within a second, the latter counts, whatever their fractions", async (first, last, status) => {
  const { event, get } = await newSender();
  const parts = (timestamp: string) => ({
    deliveryDelay: { ...deliveryDelay, timestamp },
    delivery: { ...delivery, timestamp },
    bounce: { ...bounce, timestamp },
    complaint: { ...complaint, timestamp },
  });
  const bodies = [event(first, parts(at("00.900"))), event(last, parts(at("00.000")))];

  for (const [messageId, order] of Object.entries({ "in-order": bodies, reversed: bodies.toReversed() })) {
    await record(order.map((body) => body.replace(sesMessageId, messageId)));
    expect(await get("grace@example.org", messageId)).toMatchObject({ status });
  }
});

test.each<[string, object]>([
  ["time", { timestamp: at("11.000") }],
  ["address", { ipAddress: "192.0.2.2" }],
  ["program", { userAgent: "Browser" }],
  ["link", { link: "https://shop.example/other" }],
])("Two clicks count as two if only their %s differs", async (_, other) => {
  const { event, get } = await newSender();

  await record([event("Click", { click }), event("Click", { click: { ...click, ...other } })]);

  expect(await get("grace@example.org")).toMatchObject({ click_count: 2 });
});

test("An email that names its only recipient twice is one message, so an open is counted", async () => {
  const { event, get } = await newSender();
  const mail = { destination: ["Grace@example.org", "grace@Example.org"] };

  await record([event("Send", {}, mail), event("Open", { open }, mail)]);

  expect(logged().map(({ events }) => events)).toEqual([1, 1]);
  expect(await get("grace@example.org")).toMatchObject({ open_count: 1 });
});

test("An email of several recipients is as many messages, and nobody can tell whose open it is", async () => {
  const { event, get } = await newSender();
  const mail = { destination: ["Grace <Grace@Example.org>", "ada@bücher.example", "ADA@xn--bcher-kva.example"] };
  const elsewhere = { ...bounce, bouncedRecipients: [bounced, { emailAddress: "someone@else.example" }] };
  const ofAda = { ...delivery, recipients: ["ada@xn--bcher-kva.example"] };

  const failed = await record([
    event("Send", {}, mail),
    event("Delivery", { delivery: ofAda }, mail),
    event("Bounce", { bounce: elsewhere }, mail),
    event("Open", { open }, mail),
    event("Bounce", { bounce: { ...bounce, bouncedRecipients: [{ emailAddress: "someone@else.example" }] } }, mail),
    event("Bounce", { bounce: { ...bounce, bouncedRecipients: [] } }, mail),
  ]);

  expect(failed).toEqual(["4", "5"]);
  expect(await get("grace@example.org")).toMatchObject({ status: "bounced", open_count: 0 });
  expect(await get("ada@bücher.example")).toMatchObject({ status: "delivered", open_count: 0 });
  expect(logged().map(({ events, outcome, reason }) => [events, outcome, reason])).toEqual([
    [3, "recorded", undefined],
    [2, "recorded", undefined],
    [2, "recorded", undefined],
    [0, "ignored", undefined],
    [0, "failed", "it names none of the email's recipients"],
    [0, "failed", "it names none of the email's recipients"],
  ]);
});

test.each([
  ["Delivery", { delivery }, "delivered"],
  ["Bounce", { bounce }, "bounced"],
  ["DeliveryDelay", { deliveryDelay }, "deferred"],
  ["Complaint", { complaint }, "complained"],
])("Of an email of two recipients, %s is about whom it names", async (type, parts, status) => {
  const { event, get } = await newSender();
  const mail = { destination: ["ada@example.org", "grace@example.org"] };

  expect(await record([event("Send", {}, mail), event(type, parts, mail)])).toEqual([]);

  expect(await get("grace@example.org")).toMatchObject({ status });
  expect(await get("ada@example.org")).toMatchObject({ status: "accepted" });
});

test("A recipient may be named with a name, and twice", async () => {
  const { event, get } = await newSender();
  const mail = { destination: ["ada@example.org", "grace@example.org"] };
  const recipients = ["Grace <grace@example.org>", "<GRACE@example.org>"];

  expect(await record([event("Delivery", { delivery: { ...delivery, recipients } }, mail)])).toEqual([]);

  expect(logged()).toMatchObject([{ events: 2 }]); // the attempt and the status
  expect(await get("grace@example.org")).toMatchObject({ status: "delivered", num_attempts: 1 });
});

/** Counts the calls that writing these bodies takes, and the writes of each transaction. */
const callsOf = async (bodies: readonly string[]) => {
  const calls: string[] = [];
  const transactions: number[] = [];
  const counting = interceptedTable(table, (command, proceed) => {
    const { TransactItems } = command.input;
    calls.push(command.constructor.name);
    if (Array.isArray(TransactItems)) transactions.push(TransactItems.length);
    return proceed();
  });
  expect(await record(bodies, counting)).toEqual([]);
  return { calls, transactions };
};

test("An email of 50 recipients is few transactions, whatever SES reports about it", async () => {
  const { event, get } = await newSender();
  const recipients = Array.from({ length: 50 }, (_, index) => `person-${index}@example.org`);
  const mail = { destination: recipients };
  const send = event("Send", {}, mail);
  const delivered = event("Delivery", { delivery: { ...delivery, recipients } }, mail);

  const sent = await callsOf([send]);
  expect(sent.transactions).toEqual([99, 51]);
  expect(sent.calls).toHaveLength(3); // One call reads the sender.
  expect((await callsOf([delivered])).transactions).toEqual([100, 100]);
  expect((await callsOf([send, delivered])).transactions.length).toBeLessThan(10);

  expect(await get("person-49@example.org")).toMatchObject({ status: "delivered", num_attempts: 1 });
});

test("Ten opens of a batch are one transaction, of one message or of ten", async () => {
  const { event, get } = await newSender();
  const ids = Array.from({ length: 10 }, (_, index) => `id-${index}`);
  await record(ids.map((messageId) => event("Send", {}, { messageId })));
  const opens = (address: string, of: (index: number) => string) =>
    ids.map((_, index) => {
      const ipAddress = `${address}.${index}`;
      return event("Open", { open: { ...open, ipAddress } }, { messageId: of(index) });
    });

  const ofOne = await callsOf(opens("192.0.2", () => "id-0"));
  expect(ofOne.transactions).toEqual([11]);
  expect(ofOne.calls).toEqual(["GetCommand", "TransactWriteCommand"]); // The batch reads its sender once.
  expect((await callsOf(opens("198.51.100", (index) => `id-${index}`))).transactions).toEqual([20]);

  expect(await get("grace@example.org", "id-0")).toMatchObject({ open_count: 11 });
  expect(await get("grace@example.org", "id-9")).toMatchObject({ open_count: 1 });
});

test("A bounce of the only recipient may name the address to which they forward", async () => {
  const { event, get } = await newSender();
  const forwarded = { ...bounce, bouncedRecipients: [{ emailAddress: "grace@forwarded.example", status: "5.2.2" }] };
  const ofNobody = { ...deliveryDelay, delayedRecipients: [] };

  expect(await record([event("Bounce", { bounce: forwarded })])).toEqual([]);
  expect(await record([event("DeliveryDelay", { deliveryDelay: ofNobody })])).toEqual([]);

  const attempts = [{ log: "MailboxFull" }, { log: "5.2.2" }];
  expect(await get("grace@example.org")).toMatchObject({ status: "bounced", delivery_attempts: attempts });
});

test("A bounce without a subtype has the classification of its type", async () => {
  const { event, get } = await newSender();

  await record([event("Bounce", { bounce: { ...bounce, bounceSubType: null } })]);

  expect(await get("grace@example.org")).toMatchObject({ bounce_classification: "permanent" });
});

test("A complaint has the classification of its subtype", async () => {
  const { event, get } = await newSender();

  await record([event("Complaint", { complaint: { ...complaint, complaintSubType: "OnAccountSuppressionList" } })]);

  expect(await get("grace@example.org")).toMatchObject({ bounce_classification: "on-account-suppression-list" });
});

test("A subject may be folded", async () => {
  const { event, get } = await newSender();

  await record([event("Send", {}, { commonHeaders: { subject: "=?utf-8?q?Gr=C3=BC?=\r\n =?utf-8?q?=C3=9Fe?=" } })]);

  expect(await get("grace@example.org")).toMatchObject({ subject: "Grüße" });
});

test("SES rejects an email for all of its recipients", async () => {
  const { event, get } = await newSender();

  await record([event("Reject", { reject: {} }, { destination: ["grace@example.org", "ada@example.org"] })]);

  expect(await get("grace@example.org")).toMatchObject({ status: "rejected" });
  expect(await get("ada@example.org")).toMatchObject({ status: "rejected" });
});

test("A delay without headers waits for Send, which has the subject, unless it fails for another reason", async () => {
  const { account_id, event, get } = await newSender();
  const destination = ["ada@example.org", "grace@example.org"];
  const both = { ...deliveryDelay, delayedRecipients: destination.map((emailAddress) => ({ emailAddress })) };
  const headless = { headers: undefined, commonHeaders: undefined };
  const bare = event("DeliveryDelay", { deliveryDelay }, headless);
  const broken = event("DeliveryDelay", { deliveryDelay: both }, { ...headless, messageId: "broken", destination });
  const brokenId = idOfExternal(account_id, "ses:broken:grace@example.org");
  const on = interceptedTable(table, (command, proceed) => {
    const isTransaction = command.constructor.name === "TransactWriteCommand";
    if (isTransaction && JSON.stringify(command.input).includes(brokenId)) throw new Error("The table is on fire");
    return proceed();
  });

  expect(await record([bare, broken], on)).toEqual(["0", "1"]);
  expect(await record([event("Send"), bare])).toEqual([]);

  expect(logged()).toMatchObject([
    { level: "WARN", reason: "its message is not stored yet" },
    { level: "ERROR", error: { message: "The table is on fire" } },
    ...[{ outcome: "recorded" }, { outcome: "recorded" }],
  ]);
  expect(await get("grace@example.org")).toMatchObject({ subject: "Grüße", status: "deferred" });
});

test("An event with headers only has the subject, and a rendering failure has neither", async () => {
  const { event, get } = await newSender();
  const headers = [{ name: "SUBJECT", value: "=?utf-8?q?Gr=C3=BC=C3=9Fe?=" }];
  const delivered = event("Delivery", { delivery }, { headers, commonHeaders: undefined });
  const mail = { messageId: "failure", headers: undefined, commonHeaders: undefined };

  expect(await record([delivered, event("Rendering Failure", { failure: {} }, mail)])).toEqual([]);

  expect(await get("grace@example.org")).toMatchObject({ subject: "Grüße", status: "delivered" });
  expect(await get("grace@example.org", "failure")).toMatchObject({ subject: "", status: "failed" });
});

test("A received email is an incoming message of each matched recipient's account, with its content", async () => {
  const one = await newSender();
  const two = await newSender();
  const recipients = [`help@${one.domain}`, `Help@${two.domain.toUpperCase()}`];

  expect(await record([sesReceived({ recipients, virusVerdict: { status: "FAIL" } })])).toEqual([]);

  expect(await one.get(`help@${one.domain}`, "r-1")).toMatchObject({
    direction: "incoming",
    is_bounce_notification: false,
    message_id: "<question@example.org>",
    sender: "grace@example.org",
    subject: "Question",
    status: "received",
    sent_at: null,
    delivered_at: "2096-11-20T11:00:00.000Z",
    tags: ["spam"],
    content: emails["ses-received/r-1"],
  });
  expect(await two.get(`help@${two.domain}`, "r-1")).toMatchObject({ account_id: two.account_id });
});

test("A received email may have neither a Message-ID nor a subject", async () => {
  const { domain, get } = await newSender();

  expect(await record([sesReceived({ recipients: [`help@${domain}`] }, { commonHeaders: {} })])).toEqual([]);

  expect(await get(`help@${domain}`, "r-1")).toMatchObject({ message_id: "", subject: "" });
});

test.each([
  ["FAIL", "PASS", ["spam"]],
  ["PASS", "FAIL", ["spam"]],
  ["GRAY", "PROCESSING_FAILED", []],
  [null, undefined, []],
])("A received email of which SES says spam: %s, virus: %s has the tags %j", async (spam, virus, tags) => {
  const { domain, get } = await newSender();
  const verdicts = { spamVerdict: spam && { status: spam }, virusVerdict: virus && { status: virus } };

  expect(await record([sesReceived({ recipients: [`help@${domain}`], ...verdicts })])).toEqual([]);

  expect(await get(`help@${domain}`, "r-1")).toMatchObject({ tags });
});

test.each(["", "<>", "MAILER-DAEMON <>", undefined])("A received bounce has no sender (%j)", async (source) => {
  const { domain, get } = await newSender();

  expect(await record([sesReceived({ recipients: [`help@${domain}`] }, { source })])).toEqual([]);

  expect(await get(`help@${domain}`, "r-1")).toMatchObject({
    is_bounce_notification: true,
    sender: `mailer-daemon@${domain}`,
  });
});

test("What isn't about a message is ignored", async () => {
  const { event } = await newSender();
  const greeting = "Successfully validated SNS topic for Amazon SES event publishing.";
  const subscribed = JSON.stringify({ notificationType: "AmazonSnsSubscriptionSucceeded", message: "…" });
  const ofAccount = JSON.stringify({ source: "aws.ses", detail: { version: "1.0.0" } });
  const ofLambda = sesReceived({ recipients: ["help@unknown.example"], action: { type: "Lambda" } });

  const bodies = [greeting, throughSns(greeting), subscribed, ofAccount, ofLambda, event("Subscription")];
  expect(await record(bodies)).toEqual([]);

  expect(logged().map(({ outcome }) => outcome)).toEqual(Array(6).fill("ignored"));
  expect(output.text()).not.toContain("EventRecorded");
});

test("A sender that nobody added fails with the command to add it, and is recorded after a redrive", async () => {
  const { account_id, secret } = await newKey();
  const body = sesEvent("Send", {}, { sendingAccountId: "000000000001" });

  expect(await record([body])).toEqual(["0"]);
  const [{ reason }] = logged();
  expect(reason).toBe("its sender is unknown. Add it with the command add-sender ses:000000000001:receipts");
  await adminJson(`add-sender ses:000000000001:receipts --account ${account_id} --domain ${randomUUID()}`);
  expect(await record([body])).toEqual([]);

  const url = await startService(() => noon);
  const id = idOfExternal(account_id, `ses:${sesMessageId}:grace@example.org`);
  const path = `/v2/accounts/${account_id}/messages/${id}`;
  expect((await call(`${url}${path}`, { headers: bearer(secret) })).status).toBe(200);
});

test.each([
  ["Send", {}, { mail: null }, "mail must be an object"],
  ["Send", {}, { mail: [] }, "mail must be an object"],
  [
    "Send",
    { timestamp: "yesterday", destination: "x" },
    {},
    "mail.timestamp must be ISO 8601 with an offset; mail.dest",
  ],
  ["Send", { destination: [] }, {}, "mail.destination must not be empty"],
  ["Send", { destination: ["no address"] }, {}, "message.recipient must be an email address"],
  ["Send", { tags: undefined }, {}, "its sender is not ses:AWS_ACCOUNT:CONFIGURATION_SET or ses-received:DOMAIN"],
  ["Printed", {}, {}, "eventType must be one of Send, "],
  ["toString", {}, {}, "eventType must be one of Send, "],
  ["Bounce", {}, {}, "bounce must be an object"],
  [
    "Bounce",
    {},
    { bounce: { ...bounce, bouncedRecipients: [null] } },
    "bounce.bouncedRecipients.0 must name a recipient",
  ],
  ["Open", {}, { open: { timestamp: 1 } }, "open.timestamp must be ISO 8601 with an offset"],
])("A malformed event fails with a reason (%s, %j, %j)", async (type, mail, parts, reason) => {
  const { event } = await newSender();

  const body = { ...JSON.parse(event(type, {}, mail)), ...parts };
  const bodies = [JSON.stringify(body), throughSns(JSON.stringify(body))];
  expect(await record(bodies)).toEqual(["0", "1"]);

  expect(logged().map((line) => line.reason)).toEqual(Array(2).fill(expect.stringContaining(reason)));
});

test.each(["null", "1", '"Send"', "[]", "{", "", throughSns("{"), throughSns("null"), throughEventBridge("[]")])(
  "A body that is no event is a reason or ignored, and never a fault of the program (%j)",
  async (body) => {
    await record([body]);

    expect(logged()).toMatchObject([{ events: 0, outcome: expect.stringMatching(/failed|ignored/) }]);
    expect(output.text()).not.toContain("TypeError");
  },
);

test("If only some recipients' messages are left, the log says that the event was recorded, and then that they are gone", async () => {
  const { account_id, event } = await newSender();
  const recipients = ["grace@example.org", "ada@example.org"];
  const mail = { destination: recipients };
  await record([event("Send", {}, mail)]);
  const id = idOfExternal(account_id, `ses:${sesMessageId}:ada@example.org`);
  await deleteMessage(table, { account_id, id }, noon);

  const delivered = event("Delivery", { delivery: { ...delivery, recipients } }, mail);
  await record([delivered]);
  await record([delivered]);

  expect(logged().map(({ outcome }) => outcome)).toEqual(["recorded", "recorded", "expired"]);
});
