import { expect, test } from "vitest";
import { charsetDecoder } from "../../../lib/email/charset.ts";
import { readEnvelope } from "../../../lib/email/envelope.ts";
import { parseEmail } from "../../../lib/email/parse-email.ts";
import { attachment, parseSample, text } from "../../harness/sample-email.ts";

test.each([
  ["iso-2022-jp", "明日の会議は10時からです。\r\nよろしくお願いします。\r\n", "会議のお知らせ"],
  ["shift-jis-cp932", "㈱サンプルの髙橋です。\r\n", "①番の請求書"],
  ["gb18030", "您的订单已发货。𠮷\r\n", "您好，世界"],
  ["gb2312", "<p>朱镕基</p>\r\n", "中文"],
  ["big5", "您好，訂單已出貨。\r\n", "測試"],
  ["korean-beyond-euc-kr", "펲시콜라 똠방각하 찦차\r\n", "안녕하세요"],
  ["koi8-r", "Здравствуйте! Заказ отправлен.\r\n", "Привет"],
  ["windows-1251", "Оплатите счёт до пятницы — спасибо.\r\n", "Счёт №42"],
  ["iso-8859-15-underscore", "Prix : 10 €, cœur à prendre\r\n", "10 €"],
  ["hebrew-iso-8859-8-i", "שלום עולם\r\n", "שלום"],
  ["utf-16-base64", "<p>Grüße 🌍</p>\r\n", "Wide"],
  ["utf-7", "Grüße aus Köln\r\n", "Grüße"],
  // Without a known charset, text is UTF-8 if it is valid UTF-8, otherwise windows-1252.
  ["latin1-8bit-undeclared", "Un café crème à 2€, s'il vous plaît.\r\n", "Café"],
  ["utf8-8bit-undeclared", "Un café crème à 2€, s'il vous plaît.\r\n", "Café"],
  ["us-ascii-with-utf8-bytes", "Zürich – Genève\r\n", "Schedule"],
  ["unknown-charset", "<p>Grüße</p>\r\n", "Grüße"],
])("text and encoded words are converted to Unicode: %s", async (name, content, subject) => {
  const { parts, headers } = await parseSample(name);

  expect(parts.map((part) => part.content)).toEqual([content]);
  expect(headers.Subject).toEqual([subject]);
});

test.each([
  [
    "bytes that are invalid in their charset become U+FFFD",
    "utf8-declared-but-latin1",
    "cr\ufffdme br\ufffdl\ufffde\r\n",
  ],
  ["a byte-order mark is removed only at the start", "utf8-body-with-byte-order-mark", "Hello \ufeffagain\r\n"],
  ["a charset may have a comment, and the first of two counts", "charset-parameter-with-comment", "Śkoda\r\n"],
])("%s", async (_, sample, content) => {
  expect((await parseSample(sample)).parts).toMatchObject([{ content }]);
});

test.each([
  ["utf8", "c3bc", "ü"],
  ["UTF_8", "c3bc", "ü"],
  ["csASCII", "80", "€"],
  ["ascii", "c3bc", "ü"],
  ["ANSI_X3.4-1968", "c3bc", "ü"],
  ["latin1", "80", "€"],
  ["iso-8859-1", "93", "“"],
  ["cp1252", "80", "€"],
  ["windows1252", "80", "€"],
  ["x-sjis", "8b", "\ufffd"],
  ["cp936", "d6d0", "中"],
  ["cp949", "8141", "갂"],
  ["euckr", "b0a1", "가"],
  ["eucjp", "a4a2", "あ"],
  ["euc_jp", "a4a2", "あ"],
  ["big5-hkscs", "8740", "䏰"],
  ["tis-620", "a1", "ก"],
  ["x-mac-roman", "8a", "ä"],
  ["cp850", "81", "ü"],
  ["x-windows-949", "8141", "갂"],
  ["SJIS-win", "82a0", "あ"],
  ["eucJP-ms", "a4a2", "あ"],
  ["eucJP-win", "a4a2", "あ"],
  ["eucgb2312_cn", "d6d0", "中"],
  ["big5_tw", "a4a4", "中"],
  ["x-IBM850", "81", "ü"],
  ["x-roman8", "cf", "ü"],
  ["x-windows-iso2022jp", "1b2442242224241b2842", "あい"],
  ["x-user-defined", "c3bc", "ü"],
  ["'utf-7'", "2b4150772d", "ü"],
  [" utf-7 ", "2b4150772d", "ü"],
  ["utf-16", "00fc", "ü"],
  ["unicode", "00fc", "ü"],
  ["ucs-2", "00fc", "ü"],
  ["iso-10646-ucs-2", "00fc", "ü"],
  ["csUnicode", "00fc", "ü"],
  ["utf16", "feff00fc", "ü"],
  ["utf16be", "00fc", "ü"],
  ["utf-32", "000000fc", "ü"],
  ["utf-32le", "fc000000", "ü"],
  ["utf-16", "fffefc00", "ü"],
  ["utf-16le", "fc00", "ü"],
  ["iso-2022-jp", "1b2442242224241b2842", "あい"],
  ["csISO2022JP", "1b244224221b28421b244224241b2842", "あい"],
  ["iso-2022-jp-ms", "1b284931321b2842", "ｱｲ"],
  ["cp50221", "1b26401b244224221b2842", "あ"],
  ["cp50220", "1b244224221b2842", "あ"],
  ["x-cp50222", "1b244224221b2842", "あ"],
  ["x-iso-2022-jp-2", "1b24284330211b2842", "가"],
  ["iso-2022-jp", "1b24401b24422422", "あ"],
  ["iso-2022-jp", "1b24421b24402422", "あ"],
  ["iso-2022-jp", "1b28491b24422422", "あ"],
  ["iso-2022-jp", "1b284a1b24422422", "あ"],
  ["iso-2022-jp", "e38182", "あ"],
  ["iso-2022-jp", "1b244224221b2842e9", "あ\ufffd"],
  ["iso-2022-jp-2", "1b242843301b284241", "\ufffdA"],
  ["iso-2022-kr", "1b2429430e30210f41", "가A"],
  ["iso-2022-kr", "0e30210a30210e30", "가\n0!\ufffd"],
  ["csISO2022KR", "b0a1", "가"],
  ["x-iso-2022-kr", "0e30210f", "가"],
  ["cp50225", "0e30210f", "가"],
  ["hz-gb-2312", "7e7b56507e7d417e7e7e0a42", "中A~B"],
  ["hz", "7e7b56200a41", "\ufffd \nA"],
  ["hz-gb", "7e7b56507e7d", "中"],
  ["csHZGB2312", "7e7b56507e7d", "中"],
  ["hz", "d6d0", "中"],
  ["iso-2022-jp-1", "1b242844226d1b2842", "©"],
  ["iso-2022-jp-2", "1b244156501b24284330211b2e461b4e611b284241", "中가αA"],
  ["iso-2022-jp-2", "1b2e411b4e691b2842", "é"],
  ["iso-2022-cn", "1b2429410e56500f41", "中A"],
  ["x-iso-2022-cn", "0e56500f", "中"],
  ["csISO2022CN", "0e56500f", "中"],
  ["iso-2022-cn", "d6d0", "中"],
  ["binary", "c3bc", "ü"],
  ["Base_64", "c3bc", "ü"],
  ["hex:1234", "c3bc", "ü"],
  ["utf7imap:1234", "2641472d", "&AG-"],
  ["unicode11utf7", "2b4147452d", "+AGE-"],
  ["utf7:1999", "2b4147452d", "+AGE-"],
  ["cesu8:2001", "eda0bdedb2a9", "í\xa0½í²©"],
  ["cp437:1999", "81", "ü"],
  ["utf16le", "fc00", "ü"],
  ["utf7", "2b4150772d", "ü"],
  ["csUTF7", "2b4150772d", "ü"],
  ["x-unicode-2-0-utf-7", "2b4150772d", "ü"],
  ["unicode-1-1-utf-7", "412b2d2b324433634b51", "A+🐩"],
  ["utf-7", "2b4155772d582b415577214f4b", "ŌXŌ!OK"],
  ["constructor", "fc", "ü"],
  ["utf-7", "2b3241412d", "\ufffd"],
  ["utf-16", "d83d", "\ufffd"],
  ["utf-16le", "00dc6100", "\ufffda"],
  ["iso-2022-jp", "1b24422422241b2842", "あ\ufffd"],
])("charset %s turns %s into %s", (name, bytes, text) => {
  expect(charsetDecoder()(Buffer.from(bytes, "hex"), name)).toBe(text);
});

/** We decode a body in slices of 64 KiB, so in one of these emails the end of the first slice cuts a character in two. */
test.each([
  ["utf-8", "f09f8c8d", "🌍"],
  ["shift_jis", "82a0", "あ"],
  ["euc-jp", "8fb0a1", "丂"],
  ["iso-2022-jp", "1b2442242224241b2842", "あい"],
  ["gbk", "d6d0", "中"],
  ["gb18030", "95328236", "𠀀"],
  ["hz", "7e7b56507e7d", "中"],
  ["big5", "a4a4", "中"],
  ["euc-kr", "b0a1", "가"],
  ["iso-2022-kr", "0e30210f", "가"],
  ["utf-16le", "3cd80ddf", "🌍", "6100"],
  ["utf-16be", "d83cdf0d", "🌍", "0061"],
  ["utf-7", "2b32447a6644512d", "🌍"],
])("a long body in %s keeps each character", (charset, hex, character, a = "61") => {
  const bytes = Buffer.from(hex, "hex");
  const count = Math.ceil(70_000 / bytes.length);
  for (let shift = 0; shift < bytes.length; shift++) {
    const body = [...Array(shift).fill(Buffer.from(a, "hex")), ...Array(count).fill(bytes)];
    const email = Buffer.concat([Buffer.from(`Content-Type: text/plain; charset=${charset}\n\n`), ...body]);

    const [part] = parseEmail(email)?.parts ?? [];

    expect(part?.content === "a".repeat(shift) + character.repeat(count)).toBe(true);
  }
});

test("a byte-order mark within a long text is kept", () => {
  const text = `${"a".repeat(65_536)}\ufeffb`;

  expect(charsetDecoder()(Buffer.from(text), "utf-8") === text).toBe(true);
});

test("UTF-16 without a byte-order mark is decoded as big-endian", () => {
  const body = Buffer.from("Grüße 🌍", "utf16le").swap16();
  const header = Buffer.from("Content-Type: text/plain; charset=utf-16\n\n");

  expect(parseEmail(Buffer.concat([header, body]))?.parts).toEqual([text("Grüße 🌍")]);
});

test("half a surrogate pair becomes U+FFFD in every field", () => {
  const half = (charset: string) => (charset === "utf-7" ? "=?utf-7?q?+2D0-?=" : "=?utf-16be?q?=D8=3D?=");
  const email = [
    `From: <${half("utf-7")}@example.com>`,
    `Subject: ${half("utf-7")}${half("utf-16")}`,
    `Message-ID: <${half("utf-7")}>`,
    `Content-Type: a/b; name*=utf-7''%2B2D0-`,
    `Content-ID: <${half("utf-7")}>`,
    "",
    "",
  ].join("\n");
  const parsed = parseEmail(Buffer.from(email));

  expect(parsed?.headers).toMatchObject({ From: ["<\ufffd@example.com>"], Subject: ["\ufffd\ufffd"] });
  expect(parsed?.attachments).toEqual([attachment("a/b", "", "\ufffd", "\ufffd")]);
  expect(readEnvelope(Buffer.from(email))).toMatchObject({ subject: "\ufffd\ufffd", message_id: "<\ufffd>" });
});

test("an email with 200 charsets is decoded, in the first 100 of them", () => {
  const decode = charsetDecoder();
  Array.from({ length: 99 }, (_, i) => decode(Buffer.from("a"), `unknown-${i}`));
  expect(decode(Buffer.from("\xc1", "latin1"), "koi8-u")).toBe("а");
  Array.from({ length: 100 }, (_, i) => decode(Buffer.from("a"), `unknown-${99 + i}`));

  expect(decode(Buffer.from("\xc1", "latin1"), "koi8-u")).toBe("а");
  expect(decode(Buffer.from("\xe9", "latin1"), "unknown-200")).toBe("é");
  expect(decode(Buffer.from("é"), "unknown-200")).toBe("é");
  expect(decode(Buffer.from("\xe9", "latin1"), "koi8-r")).toBe("é");
});

test.each([
  ["the email's own charset", "text/plain; charset=koi8-r", "а"],
  ["then that of its encoded words", "multipart/mixed; boundary=b", "Б"],
])("8-bit text of a header is in the first declared charset: %s", (_, type, subject) => {
  const lines = [
    "X-Word: =?windows-1251?q?a?=",
    "Subject: \xc1",
    `Content-Type: ${type}`,
    "",
    "--b",
    "Content-Type: text/plain; charset=iso-8859-7",
    "",
    "",
  ];

  const { headers } = parseEmail(Buffer.from(lines.join("\n"), "latin1")) ?? {};

  expect(headers?.Subject).toEqual([subject]);
});
