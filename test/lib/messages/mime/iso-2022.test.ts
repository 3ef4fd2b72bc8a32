/** East Asian text in 7 bits, as its RFCs have it and as real mail does. */
import { expect, test } from "vitest";
import { charsetDecoder } from "../../../../lib/messages/mime/charset.ts";
import { decodeHeaderText } from "../../../../lib/messages/mime/header.ts";

/** `^` stands for ESC. */
const decode = (charset: string, text: string) =>
  charsetDecoder()(Buffer.from(text.replaceAll("^", "\x1b"), "latin1"), charset);

test.each([
  ["iso-2022-jp", '^$B$"^(B^$B$$^(B', "あい"],
  ["iso-2022-jp", "^$B^(B", ""],
  ["iso-2022-jp", "^$@;29M^(J\\~^(B\\~", "参考¥‾\\~"],
  ["iso-2022-jp", "^$B-!-j^(B", "①㈱"],
  ["csISO2022JP", '^$B$"^(B', "あ"],
  ["iso-2022-jp-1", "^$(D0!^(B", "丂"],
  ["iso-2022-jp-2", "^$A0!^$(C0!^$(D0!^.A^Ni^.F^Na^(B.", "啊가丂éα."],
  ["iso-2022-jp-3", '^$(O$"^(B', "あ"],
  ["iso-2022-jp-2004", '^$(Q$"^(B', "あ"],
  ["iso-2022-jp-ms", "^(I12^(B", "ｱｲ"],
  ["cp50220", "^$By!^(B", "纊"],
  ["cp50221", '^&@^$B$"^(B', "あ"],
  ["cp50222", "\x0e12\x0f12", "ｱｲ12"],
  ["iso-2022-kr", "^$)C\x0e0!\x0fA", "가A"],
  ["csISO2022KR", "^$)C\x0e0!\x0fA", "가A"],
  ["iso-2022-cn", "^$)A\x0e0!\x0fA", "啊A"],
  ["hz", "~{0!~}~~~\nb", "啊~b"],
  ["HZ-GB-2312", "~{0!~}a~{0!~}", "啊a啊"],
])("%s turns %j into %s", (charset, text, decoded) => {
  expect(decode(charset, text)).toBe(decoded);
});

test.each([
  ["iso-2022-jp", '^$B$"\n$"', 'あ\n$"'],
  ["iso-2022-jp", '^$B$"!\na', "あ\ufffd\na"],
  ["iso-2022-jp", "^$B$", "\ufffd"],
  ["iso-2022-jp", '^$B$"!\x0f^(Ba', "あ\ufffda"],
  ["iso-2022-jp", "^Zx", "\ufffdZx"],
  ["iso-2022-kr", "\x0e0!\nA", "가\nA"],
  ["hz", "~{0!\nAB", "啊\nAB"],
])("damage stays where it is: %s, %j", (charset, text, decoded) => {
  expect(decode(charset, text)).toBe(decoded);
});

test("8-bit text under a 7-bit name is UTF-8 where it is valid, else in the language's EUC charset", () => {
  expect(decode("iso-2022-jp", Buffer.from("あ").toString("latin1"))).toBe("あ");
  expect(decode("iso-2022-jp", '\xa4\xa2^$B$"^(B')).toBe("ああ");
  expect(decode("iso-2022-kr", "\xb0\xa1")).toBe("가");
});

test.each([
  ["=?iso-2022-jp?B?GyRCJCIbKEI=?= =?ISO-2022-JP?B?GyRCJCQbKEI=?=", "あい"],
  ["=?iso-2022-jp?B?GyRCJA==?= =?iso-2022-jp?B?IhsoQg==?=", "あ"],
  ["=?utf-7?q?+AOk?= =?utf-7?q?+AOk?=", "éé"],
  ["=?hz?q?~{0!~}?= =?hz?q?~{0!~}?=", "啊啊"],
  ["=?iso-2022-kr?q?=1B$)C=0E0!=0F?= =?iso-2022-kr?q?=1B$)C=0E0!=0F?=", "가가"],
])("adjacent encoded words in a stateful charset read as one text: %s", (value, text) => {
  expect(decodeHeaderText(value, charsetDecoder())).toBe(text);
});
