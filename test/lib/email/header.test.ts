import { expect, test } from "vitest";
import { charsetDecoder } from "../../../lib/email/charset.ts";
import { decodeHeaderText } from "../../../lib/email/header.ts";
import { parseSample, text } from "../../harness/sample-email.ts";

test("encoded words are decoded and joined as in RFC 2047", async () => {
  const { headers } = await parseSample("encoded-words");

  expect(headers).toMatchObject({
    Subject: ["🚀Launch day is déjà vu"],
    "X-Split-Character": ["Grüße"],
    "X-With-Language": ["schön"],
    "X-No-Word": ["=?utf-8?x?abc?= =?utf-8?q?open =?utf-8?= a=?b"],
    "X-Empty": [""],
    "X-Tail": ["(a)"],
  });
});

test("raw UTF-8 in headers is decoded", async () => {
  const { headers } = await parseSample("raw-utf8-header");

  expect(headers.From).toEqual(["Zoë <zoe@example.com>"]);
  expect(headers.Subject).toEqual(["Grüße aus Köln à la carte"]);
});

test("NUL characters remain", async () => {
  const { parts, headers } = await parseSample("nul-bytes");

  expect(parts).toEqual([text("a\0b\r\n")]);
  expect(headers.Subject).toEqual(["Nu\0l"]);
});

test.each([
  ["=?utf-8?q?a=?", "=?utf-8?q?a=?"],
  ["=?utf-8?B?w7w?=", "ü"],
  ["=?utf-8?B?w7w?x", "=?utf-8?B?w7w?x"],
  ["=??Q?=C3=BC?=", "ü"],
  ["=?utf-8?Q?=c3=BC=3?=", "ü=3"],
  ["=?utf-8?q?a b?= c", "a b c"],
  ["x =?utf-8?q?a?=\t=?utf-8?b?Yg==?= y", "x ab y"],
  ["=?utf-8?q?=C3?= =?UTF-8?q?=BC?=", "ü"],
  ["=?utf-8?q?=C3?= =?koi8-r?q?=C1?=", "\ufffdа"],
  ["\xc3\xbc =?utf-8?q?=C3=BC?=", "ü ü"],
  ["\xfc", "ü"],
  ["Gr\xc3\xbc\xc3\x9fe aus K\xc3", "Grüße aus K\ufffd"],
  ["Gr\xc3\xbc\xc3\x9fe aus K\xc3...", "Grüße aus K\ufffd..."],
  ["\xe2\x82\xac, \xe2\x82", "€, \ufffd"],
  ["at\xe9 amanh\xe3", "até amanhã"],
  ["=?iso-2022-jp?B?GyRCJCIbKEI=?= =?ISO-2022-JP?B?GyRCJCQbKEI=?=", "あい"],
  ['\x1b$B$"$$\x1b(B =?utf-8?q?a?=', "あい a"],
  ["\x1b$)C\x0e0!\x0f", "가"],
  ["\x1b[31m=", "\x1b[31m="],
  ["\x1b$ \xc3\xbc", "\x1b$ ü"],
  ["=?utf-7?q?+AOk?= =?utf-7?q?+AOk?=", "éé"],
  ["=?utf-16?b?//7pAA==?= =?utf-16?b?//7pAA==?=", "éé"],
  ["=?utf-8?Q?Who's_=C3=A0_midi?_Me!?=", "Who's à midi? Me!"],
  ["=?utf-8?q?a???= =?utf-8?q?b?c?=", "a??b?c"],
  ["=?utf-8?Q?Oui?=20Non=?=", "Oui? Non="],
  ["=?utf-8?Q?Oui?=20Non,_merci_beaucoup=?=", "Oui? Non, merci beaucoup="],
  ["=?utf-8?Q?Ada?=ada@example.com", "Adaada@example.com"],
  ["=?utf-8?Q?open? =?utf-8?q?b?=", "=?utf-8?Q?open? b"],
  ["=?utf-8?b?aGk=aGVsbG8=?=", "hihello"],
])("%j is decoded as %j", (value, text) => {
  expect(decodeHeaderText(value, charsetDecoder())).toBe(text);
});
