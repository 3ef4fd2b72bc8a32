/** The first address of a list, as in RFC 5322 and as mailers write it. */
import { expect, test } from "vitest";
import { addressesIn, firstAddress } from "../../../lib/email/header-addresses.ts";

test("an address that a name follows is not repeated for the next ones", () => {
  const list = "ada@example.com Ada, Bob, <carl@example.com>; dora@example.com";

  expect([...addressesIn(list)]).toEqual(["ada", "carl", "dora"].map((name) => `${name}@example.com`));
});

test("addresses may be separated by blanks", () => {
  const list = "a@x.example b@x.example (B)\tc@x.example, d@x.example e@x.example <f@x.example> g@x.example";

  expect([...addressesIn(list)]).toEqual(["a", "b", "c", "f", "g"].map((name) => `${name}@x.example`));
});

test.each([
  // RFC 5322, appendix A
  ["John Doe <jdoe@machine.example>", "jdoe@machine.example"],
  ['"Joe Q. Public" <john.q.public@example.com>', "john.q.public@example.com"],
  ["Mary Smith <mary@x.test>, jdoe@example.org, Who? <one@y.test>", "mary@x.test"],
  ['<boss@nil.test>, "Giant; \\"Big\\" Box" <sysservices@example.net>', "boss@nil.test"],
  ["A Group:Ed Jones <c@a.test>,joe@where.test,John <jdoe@one.test>;", "c@a.test"],
  ["Undisclosed recipients:;", ""],
  ["Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>", "pete@silly.test"],
  [
    "A Group(Some people)  :Chris Jones <c@(Chris's host.)public.example>, joe@example.org, John <jdoe@one.test> (my dear friend); (the end of the group)",
    "c@public.example",
  ],
  ["(Empty list)(start)Hidden recipients  :(nobody(that I know))  ;", ""],
  ["Joe Q. Public <john.q.public@example.com>", "john.q.public@example.com"],
  ["Mary Smith <@node.test:mary@example.net>, , jdoe@test  . example", "mary@example.net"],
  [", , jdoe@test  . example", "jdoe@test.example"],
  ["John Doe <jdoe@machine(comment).  example>", "jdoe@machine.example"],
  // others
  ["<@a.test,@b.test:mary@example.net>", "mary@example.net"],
  ['"a b"@example.com', '"a b"@example.com'],
  ['"a@b" <ada@example.com>', "ada@example.com"],
  ["ada@[192.0.2.1]", "ada@[192.0.2.1]"],
  ["ada@example.com (Ada)", "ada@example.com"],
  ["ada@example.com Ada, bob@example.com", "ada@example.com"],
  ["ada@example.com Ada", "ada@example.com"],
  ["ada@example.com Ada Lovelace", "ada@example.com"],
  ["ada@example.com Ada <>", ""],
  ["bob@home <ada@example.com>", "ada@example.com"],
  ["Ada ada@example.com", "ada@example.com"],
  ["=?utf-8?q?Ada?=ada@example.com", "ada@example.com"],
  ["mailto:ada@example.com", "ada@example.com"],
  ["ada@example.com; bob@example.com", "ada@example.com"],
  ["<ada@example.com", "ada@example.com"],
  ["MAILER-DAEMON <>, <bob@example.com>", "bob@example.com"],
  // none
  ["", ""],
  ["MAILER-DAEMON", ""],
  ["ada@example.com.", ""],
  ["a..b@example.com", '"a..b"@example.com'],
  ["Nia <nia..v.@docomo.example>", '"nia..v."@docomo.example'],
  ["nia@a_b.example", "nia@a_b.example"],
  ["\u202aada@example.com\u202c", "ada@example.com"],
  ["Ada <\u00a0ada@example.com\u200b>", "ada@example.com"],
  [`${"\u200b".repeat(9)}ada@example.com${"\u200b".repeat(9)}`, "ada@example.com"],
  ["\u0645\u200c\u0646@example.com", "\u0645\u200c\u0646@example.com"],
  ["ada@bob@example.com", ""],
  ['"ada@example.com', ""],
  ["(ada@example.com", ""],
  ["ada@", ""],
  ["::::", ""],
])("the first address of %s is %j", (list, address) => {
  expect(firstAddress(list)).toBe(address);
});
