import { expect, test } from "vitest";
import { shortTime } from "../../../infra/page/browser/times.ts";
import { byLastEvent, lastEventOf, reasonOf, verdictOf } from "../../../infra/page/browser/verdict.ts";
import type { DeskMessage } from "../../../infra/page/served.ts";
import { ago, attempt, deskMessage, now } from "./desk-message.ts";

const unknown = "550 5.1.1 User unknown in virtual mailbox table";
const timeout = "421 4.4.1 Connection timed out";

const bounced = deskMessage({ status: "bounced", delivery_attempts: [attempt(90, "bounced", unknown)] });
const deferred = deskMessage({
  status: "deferred",
  delivery_attempts: [attempt(400, "deferred", timeout), attempt(30, "deferred", timeout)],
  num_attempts: 12,
});
const late = deskMessage({
  status: "delivered",
  delivered_at: ago(30),
  delivery_attempts: [attempt(30 + 22 * 60, "deferred", timeout), attempt(30, "delivered", "250 2.0.0 OK")],
  num_attempts: 12,
});
const lateWithoutAttempt = deskMessage({
  status: "delivered",
  delivered_at: ago(30),
  delivery_attempts: [attempt(30 + 22 * 60, "deferred", timeout), attempt(30 + 2 * 60, "deferred", timeout)],
});

test.each([
  ["bounced", bounced, /^Address doesn't exist \(5\.1\.1\) · 550 5\.1\.1 User unknown in virtual mailbox table$/],
  ["deferred", deferred, /^12 tries since .+ · 421 4\.4\.1 Connection timed out$/],
  ["delivered late", late, /^after 12 tries, 22 h late · 250 2\.0\.0 OK · never opened \(or pictures off\)$/],
  ["delivered without an attempt", lateWithoutAttempt, /^after 2 tries, 22 h late · never opened/],
  ["opened", deskMessage({ status: "delivered", open_count: 37 }), /opened 37 times, perhaps by machines$/],
  ["a complaint", deskMessage({ status: "complained" }), /^no delivery attempt is recorded for this status$/],
  ["sent", deskMessage(), /^no delivery attempt is recorded$/],
  ["incoming", deskMessage({ direction: "incoming", status: "received" }), /^from orders@shop\.example to ada@/],
])("A row says the reason in one line: %s", (_, message, line) => {
  expect(reasonOf(message, now)).toMatch(line);
});

const refused = [attempt(90, "bounced", "550 no")];
const report: Partial<DeskMessage> = { direction: "incoming", is_bounce_notification: true, status: "received" };
const accepted = [attempt(90, "delivered", "250 2.0.0 OK")];

test.each<[string, Partial<DeskMessage>, string]>([
  [
    "the answer to the last attempt, whose status says the same in another word",
    { status: "hard_bounce", delivery_attempts: [attempt(90, "bounced", unknown)], bounce_classification: "5.7.1" },
    `Address doesn't exist (5.1.1) · ${unknown}`,
  ],
  [
    "a classification with a code, if the answer has none",
    { status: "bounced", delivery_attempts: refused, bounce_classification: "5.2.2" },
    "Mailbox is full (5.2.2) · 550 no",
  ],
  [
    "a classification in words",
    { status: "bounced", delivery_attempts: refused, bounce_classification: "blocked by policy" },
    "blocked by policy · 550 no",
  ],
  [
    "a first try that was put off",
    { status: "deferred", delivery_attempts: [attempt(30, "deferred", timeout)] },
    `1 try · ${timeout}`,
  ],
  [
    "a delivery at the first try, opened and clicked",
    { status: "delivered", delivery_attempts: accepted, open_count: 2, click_count: 1 },
    "250 2.0.0 OK · opened twice, clicked once, perhaps by machines",
  ],
  [
    "a complaint of who opened it",
    { status: "complained", delivery_attempts: accepted, open_count: 1 },
    "no delivery attempt is recorded for this status · opened once, perhaps by machines",
  ],
  [
    "a bounce notification",
    { ...report, bounce_classification: "5.1.1" },
    "reports what became of another message · 5.1.1",
  ],
  [
    "an incoming email that was forwarded in vain",
    { direction: "incoming", status: "bounced", delivery_attempts: refused },
    "550 no",
  ],
])("A row has nothing but the reason: %s", (_, fields, line) => {
  expect(reasonOf(deskMessage(fields), now)).toBe(line);
});

test("A bounce says when, after how many tries, what the code means, and the server's own words", () => {
  const { tone, headline, plain, words } = verdictOf(bounced, now);

  expect(tone).toBe("bad");
  expect(headline).toMatch(/^Bounced on .*25.*, at the first try$/);
  expect(plain).toBe(
    "The address doesn't exist at example.com (5.1.1 means so). Sending again won't help; ask for another address.",
  );
  expect(words).toBe(unknown);
});

const [early, middle, recent] = [ago(30 + 22 * 60), ago(90), ago(30)];
const on = (time: string): string => `on ${shortTime(time, now)}`;
const tries = [attempt(30 + 22 * 60, "deferred", timeout), attempt(30, "bounced", unknown)];

test.each<[string, Partial<DeskMessage>, headline: string, plain: string]>([
  [
    "a bounce has the time of its attempt",
    { status: "bounced", delivery_attempts: tries, status_time: ago(5) },
    `Bounced ${on(recent)}, after 2 tries in 22 h`,
    "The address doesn't exist at example.com (5.1.1 means so). Sending again won't help; ask for another address.",
  ],
  [
    "a classification in words",
    { status: "bounced", status_time: recent, bounce_classification: "blocked by policy" },
    `Bounced ${on(recent)}`,
    "Classified as blocked by policy.",
  ],
  [
    "a status that came by itself",
    { status: "suppressed", status_time: recent },
    `Suppressed ${on(recent)}`,
    "No delivery attempt is recorded for this status.",
  ],
  [
    "a complaint after a delivery",
    { status: "Abuse report", delivery_attempts: accepted, delivered_at: middle, status_time: recent },
    `Abuse report ${on(recent)}`,
    "The recipient, or their provider, marked the email as unwanted. Don't send again before you have asked.",
  ],
  [
    "a server that suspects abuse for the present",
    { status: "temporarily blocked: abuse", status_time: recent },
    `Temporarily blocked: abuse ${on(recent)}`,
    "No delivery attempt is recorded.",
  ],
  [
    "a first try that was put off",
    { status: "deferred", delivery_attempts: [attempt(30, "deferred", "451 later")] },
    `Deferred: 1 try ${on(recent)}`,
    "",
  ],
  [
    "many tries, since the first one",
    { ...deferred, delivery_attempts: [attempt(90, "deferred", timeout), attempt(30, "deferred", timeout)] },
    `Deferred: 12 tries since ${shortTime(middle, now)}, last ${on(recent)}`,
    "The recipient's server doesn't respond (4.4.1 means so). It is tried again by itself.",
  ],
  ["what waits for a try", { status: "queued" }, `Queued ${on(ago(99))}`, "No delivery attempt is recorded."],
  [
    "a delivery that was late",
    late,
    `Delivered ${on(recent)}, after 12 tries in 22 h`,
    "Never opened (or pictures off).",
  ],
  [
    "a delivery whose event came later",
    { status: "delivered", delivery_attempts: accepted, delivered_at: recent, status_time: ago(5), open_count: 1 },
    `Delivered ${on(recent)}, at the first try`,
    "Opened once, perhaps by machines.",
  ],
  [
    "a delivery of which only the attempt has a time",
    { status: "delivered", delivery_attempts: accepted, status_time: ago(5), click_count: 2 },
    `Delivered ${on(middle)}, at the first try`,
    "Clicked twice, perhaps by machines.",
  ],
  [
    "a delivery without an attempt",
    { status: "delivered", status_time: early },
    `Delivered ${on(early)}`,
    "Never opened (or pictures off).",
  ],
  ["incoming", { direction: "incoming", status: "received" }, `Received ${on(ago(99))}`, ""],
  [
    "incoming, without the time when it was sent",
    { direction: "incoming", status: "received", sent_at: null },
    `Received ${on(ago(100))}`,
    "",
  ],
  [
    "an incoming email that was forwarded",
    { direction: "incoming", status: "delivered", delivery_attempts: accepted },
    `Delivered ${on(middle)}, at the first try`,
    "Never opened (or pictures off).",
  ],
  [
    "a bounce notification",
    { ...report, status: "bounced", bounce_classification: "5.1.1" },
    "Reports what became of another message",
    "Classified as 5.1.1.",
  ],
  ["a bounce notification without a reason", report, "Reports what became of another message", ""],
])(
  "The verdict says what happened, when, after how many tries, and what it means: %s",
  (_, fields, headline, plain) => {
    expect(verdictOf(deskMessage(fields), now)).toMatchObject({ headline, plain });
  },
);

test.each<[string, Partial<DeskMessage>, string, string]>([
  ["a bounce notification, which is no verdict on itself", { ...report, status: "bounced" }, "", ""],
  ["incoming", { direction: "incoming", status: "spam" }, "bad", ""],
  ["waiting", deferred, "wait", timeout],
  ["delivered", late, "good", "250 2.0.0 OK"],
  ["delivered, but an attempt failed before", lateWithoutAttempt, "good", ""],
])(
  "The verdict has the tone of the status, and the words of the attempt that brought it: %s",
  (_, fields, tone, words) => {
    expect(verdictOf(deskMessage(fields), now)).toMatchObject({ tone, words });
  },
);

test("The last event can be one that no attempt brought", () => {
  expect(lastEventOf(deskMessage({ status: "complained", status_time: ago(30) }))).toBe(ago(30));
  expect(lastEventOf(deskMessage({ status: "delivered", delivered_at: ago(20), status_time: ago(30) }))).toBe(ago(20));
});

test.each([
  ["an import, whose message is older than its storing", deskMessage({ created_at: ago(1), sent_at: ago(9000) }), 9000],
  ["an attempt", deferred, 30],
  ["nothing but its creation", deskMessage({ sent_at: null }), 100],
])("The last event is not the time of storing: %s", (_, message, minutes) => {
  expect(lastEventOf(message)).toBe(ago(minutes));
});

test("Of several messages, the one whose last event is the newest comes first", () => {
  const sent = (minutes: number) => deskMessage({ created_at: ago(900), sent_at: ago(minutes) });

  const listed = [sent(300), sent(30), sent(90)].toSorted(byLastEvent);

  expect(listed.map(lastEventOf)).toEqual([ago(30), ago(90), ago(300)]);
});
