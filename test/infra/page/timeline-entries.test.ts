import { expect, test } from "vitest";
import { entriesOf } from "../../../infra/page/browser/timeline-entries.ts";
import { ago, attempt, deskMessage } from "./desk-message.ts";

const titles = (...parameters: Parameters<typeof deskMessage>): string[] =>
  entriesOf(deskMessage(...parameters)).map(({ title, status }) => title ?? status);

test("The newest entry is first, and an import's time of storing is none", () => {
  const delivery_attempts = [attempt(80, "deferred", "451"), attempt(70, "delivered", "250")];

  expect(titles({ status: "delivered", delivered_at: ago(70), delivery_attempts })).toEqual([
    "delivered",
    "deferred",
    "sent",
    "created",
  ]);
  expect(titles({ created_at: ago(1), sent_at: ago(99) })).toEqual(["sent"]);
  expect(titles({ created_at: ago(99), sent_at: ago(99) })).toContain("created");
});

test("Of an incoming message, its storing is an entry, but not its status", () => {
  const incoming = { direction: "incoming", status: "received", status_time: ago(5) } as const;

  expect(titles({ ...incoming, sent_at: null })).toEqual(["created"]);
  expect(titles(incoming)).toEqual(["sent", "created"]);
});

test("A delivery without an attempt has its own time", () => {
  const [first] = entriesOf(deskMessage({ status: "delivered", delivered_at: ago(70), status_time: ago(70) }));

  expect(first).toEqual({ status: "delivered", time: ago(70) });
});

test("A status without an attempt has its time and its place", () => {
  const delivered = { delivered_at: ago(70), delivery_attempts: [attempt(70, "delivered", "250")] };

  const [first, second] = entriesOf(deskMessage({ ...delivered, status: "complained", status_time: ago(30) }));
  const [unknown] = entriesOf(deskMessage({ ...delivered, status: "complained" }));

  expect([first, second]).toMatchObject([{ status: "complained", time: ago(30) }, { status: "delivered" }]);
  expect(unknown).toMatchObject({ time: ago(10), note: "at the latest, without a delivery attempt" }); // updated_at
});

test("A status that an attempt had before is an entry if it came again, and not if it came in the same second", () => {
  const delivery_attempts = [attempt(90, "deferred", "451"), attempt(80, "bounced", "550")];

  expect(titles({ status: "deferred", status_time: ago(30), delivery_attempts })[0]).toBe("deferred");
  const sameSecond = ago(80).replace(".000Z", ".900Z");
  expect(titles({ status: "bounced", status_time: sameSecond, delivery_attempts })).toEqual([
    "bounced",
    "deferred",
    "sent",
    "created",
  ]);
});

test("An entry of many attempts has the time of the first, the last answer and all of them, whatever the answers", () => {
  const run = Array.from({ length: 21 }, (_, index) => attempt(90 - index, "deferred", `451 ${index}`));

  const [folded] = entriesOf(deskMessage({ status: "deferred", delivery_attempts: run, sent_at: null }));

  expect(folded).toMatchObject({ title: "21 × deferred", time: ago(90), until: ago(70), log: "451 20", run });
});

test("Twenty attempts with different answers stay, and more of them fold only with those of their status", () => {
  const run = Array.from({ length: 21 }, (_, index) => attempt(90 - index, "deferred", `451 ${index}`));
  const own = { sent_at: null, created_at: ago(1) };

  expect(titles({ ...own, status: "deferred", delivery_attempts: run.slice(1) })).toHaveLength(20);
  expect(titles({ ...own, status: "bounced", delivery_attempts: [...run, attempt(2, "bounced", "550")] })).toEqual([
    "bounced",
    "21 × deferred",
  ]);
});

test("Equal attempts fold into one entry, and different ones stay", () => {
  const equal = [5, 4, 3].map((minutes) => attempt(minutes, "deferred", "451"));
  const other = attempt(2, "deferred", "452");

  expect(
    titles({ status: "deferred", delivery_attempts: [...equal, other], sent_at: null, created_at: ago(1) }),
  ).toEqual(["deferred", "3 × deferred"]);
});
