import { expect, test } from "vitest";
import { explain } from "../../../infra/page/browser/enhanced-code.ts";

test.each([
  ["550 5.1.1 <ada@example.com>: User unknown", "5.1.1", "Address doesn't exist"],
  ["552-5.2.2 The mailbox is full", "5.2.2", "Mailbox is full"],
  ["421 4.4.1 Connection timed out", "4.4.1", "Server doesn't respond"],
  ["554 5.7.26 Unauthenticated", "5.7.26", "Sender isn't authenticated"],
  ["smtp; 550 5.7.99 policy", "5.7.99", "Refused by policy"], // a detail that we don't know, of a subject that we do
])("%s", (log, code, short) => {
  expect(explain(log, "ada@example.com")).toMatchObject({ code, short });
});

test.each([
  "250 2.0.0 Ok",
  "550 no",
  "550 blocked by 4.1.1.8",
  "Exim 4.4.1.2",
  "version 5.1.1a5.1",
  "15.1.1",
  "9.1.1",
  "",
])("%j has no code to explain", (log) => {
  expect(explain(log, "ada@example.com")).toBeNull();
});

test("A temporary code is tried again, a permanent one isn't, and the domain is named", () => {
  const permanent = explain("550 5.1.1 unknown", "ada@mail.example");
  const temporary = explain("450 4.1.1 unknown", "ada@mail.example");

  expect(permanent).toMatchObject({
    meaning: "The address doesn't exist at mail.example",
    advice: "Sending again won't help; ask for another address.",
  });
  expect(temporary?.advice).toBe("It is tried again by itself.");
});
