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

test.each([
  ["Sending again won't help; ask for another address.", "1.0 1.1 1.2 1.3 1.4 1.6 1.10 2.1 2.4 4.4 7.13"],
  ["The recipient can mend it; sending again helps only after that.", "2.0 2.2"],
  ["Send it without the attachment.", "2.3 3.4"],
  ["Sending again may help.", "3.0 3.1 3.2 4.0 4.1 4.2 4.3 4.7 7.28"], // nobody tries a permanent code again
  [
    "Sending again won't help until we or the recipient's server change something. Ask engineering.",
    "1.8 4.6 5.0 5.3 6.0 7.0 7.1 7.7 7.20 7.23 7.25 7.26",
  ],
])("After a permanent code, %s", (advice, codes) => {
  const advices = codes.split(" ").map((code) => [code, explain(`550 5.${code} no`, "ada@mail.example")?.advice]);

  expect(advices).toEqual(codes.split(" ").map((code) => [code, advice]));
});

test("The domain is what follows the last @, and a recipient without one leaves a sentence", () => {
  expect(explain("550 5.1.1", '"a@b"@mail.example')?.meaning).toBe("The address doesn't exist at mail.example");
  expect(explain("550 5.1.1", "")?.meaning).toBe("The address doesn't exist at the recipient's domain");
});

test("A success, and a subject that nobody knows, have nothing to explain", () => {
  expect(["250 2.1.5 Ok", "550 5.9.9 no"].map((log) => explain(log, "ada@mail.example"))).toEqual([null, null]);
});
