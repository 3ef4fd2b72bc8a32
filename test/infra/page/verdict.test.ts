import { expect, test } from "vitest";
import { byLastEvent, lastEventOf, reasonOf, verdictOf } from "../../../infra/page/browser/verdict.ts";
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

test("A bounce says when, after how many tries, what the code means, and the server's own words", () => {
  const { tone, headline, plain, words } = verdictOf(bounced, now);

  expect(tone).toBe("bad");
  expect(headline).toMatch(/^Bounced on .*25.*, at the first try$/);
  expect(plain).toBe(
    "The address doesn't exist at example.com (5.1.1 means so). Sending again won't help; ask for another address.",
  );
  expect(words).toBe(unknown);
});

test("What waits says how often and since when, and what was late says by how much", () => {
  expect(verdictOf(deferred, now).headline).toMatch(/^Deferred: 12 tries since .+, last on .+$/);
  expect(verdictOf(late, now).headline).toMatch(/^Delivered on .+, after 12 tries in 22 h$/);
});

test("Without a recorded attempt, nothing says how many tries there were", () => {
  const delivered = deskMessage({ status: "delivered", delivered_at: ago(30) });

  expect(verdictOf(delivered, now).headline).not.toMatch(/tr(y|ies)/);
});

test("A status without an attempt has the time of its event", () => {
  const complained = deskMessage({ status: "complained", status_time: ago(30) });

  expect(verdictOf(complained, now).headline).toMatch(/^Complained on .*25/);
  expect(verdictOf(complained, now).plain).toContain("marked the email as unwanted");
  expect(lastEventOf(complained)).toBe(ago(30));
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
