/** The state of the search: in the address, and applied to the rows that were read. */
import { expect, test } from "vitest";
import { accountLabel, countsOf, withWords } from "../../../infra/page/browser/narrow.ts";
import {
  addressOf,
  longerThan,
  type Range,
  ranges,
  type State,
  sinceOf,
  stateOf,
} from "../../../infra/page/browser/state.ts";
import { attempt, deskMessage, now } from "./desk-message.ts";

const whole: State = {
  q: "ada+a&b@example.com rechnung über 90 €",
  range: "30d",
  group: "bad",
  account: "7f0c1a52-9d0e-4b7a-8a54-2f4f3f0d9c11",
  chosen: "a/b",
  open: { account: "a", id: "b" },
};

test.each([whole, { ...whole, q: "", range: "7d", group: "", account: "", chosen: "", open: null } as State])(
  "A link shows a colleague the same",
  (state) => {
    expect(stateOf(new URL(`http://127.0.0.1:3000/messages${addressOf(state)}`))).toEqual(state);
  },
);

test("A wrong address shows the usual search", () => {
  const state = stateOf({ search: "?range=constructor&group=__proto__", hash: "#nonsense" });

  expect(state).toMatchObject({ range: "7d", group: "", open: null });
  expect(stateOf({ search: "", hash: "#a/b/c" }).open).toBeNull();
});

test("A range has a beginning, and a longer one follows it", () => {
  expect(sinceOf("7d", now)).toBe("2026-11-18T12:00:00.000Z");
  expect(sinceOf("all", now)).toBeUndefined();
  expect([longerThan("7d"), longerThan("all")]).toEqual(["30d", undefined]);
});

test("A range is as long as its name says", () => {
  const spans = Object.entries(ranges).map(([range, name]) => {
    const since = Date.parse(sinceOf(range as Range, now) ?? "");
    return [name, (now - since) / 3_600_000];
  });

  expect(spans).toEqual([
    ["Last 24 hours", 24],
    ["Last 7 days", 7 * 24],
    ["Last 30 days", 30 * 24],
    ["Last 90 days", 90 * 24],
    ["All time", Number.NaN],
  ]);
});

const messages = [
  deskMessage({ subject: "Ihre Rechnung über 90 €", status: "bounced" }),
  deskMessage({ subject: "Invoice 9", status: "delivered", account_id: "11111111-0000-4000-8000-000000000000" }),
  deskMessage({ subject: "Re: parcel", direction: "incoming", recipient: "support@help.example" }),
];

test.each([
  ["rechnung bounced", 1],
  ["u\u0308ber", 1],
  ["1111", 1],
  ["shop.example", 3],
  ["rechnung delivered 9", 0],
])("Words narrow by subject, status and account: %s", (words, count) => {
  expect(withWords(messages, words.normalize("NFC").split(" "))).toHaveLength(count);
});

test.each([
  "22f1b9a5",
  "<invoice-9@shop.example>",
  "orders@billing.example",
  "carol@example.org",
  "quota",
  "newsletter",
  "greylisted",
  "müller",
])("A message is found by %s, which is in one of its fields, and by no word across two of them", (word) => {
  const message = deskMessage({
    id: "22f1b9a5-6c1b-4d0e-9f57-3a1b0c9d7e01",
    message_id: "<Invoice-9@shop.example>",
    subject: "For Mu\u0308ller",
    sender: "Orders@billing.example",
    recipient: "carol@example.org",
    bounce_classification: "Over quota",
    tags: ["invoice", "Newsletter"],
    delivery_attempts: [attempt(9, "deferred", "451 Greylisted"), attempt(8, "bounced", "550")],
  });

  expect(withWords([message, deskMessage()], [word])).toEqual([message]);
  expect(withWords([message], [word, "invoicenewsletter"])).toEqual([]);
});

test("Outcomes have counts, and an account is named by its domain", () => {
  expect(Object.fromEntries(countsOf(messages))).toEqual({ bad: 1, good: 1, from: 1 });
  expect(messages.map(accountLabel)).toEqual(["shop.example · 7f0c", "shop.example · 1111", "help.example · 7f0c"]);
  expect(accountLabel(deskMessage({ sender: '"a@b"@shop.example' }))).toBe("shop.example · 7f0c");
});
